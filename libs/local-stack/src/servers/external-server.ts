import os from 'node:os';
import { MongoClient } from 'mongodb';
import { cannotStart, reasonOf } from '../process/cannot-start';
import type { ServerKind } from './find-server';
import { probeNats } from './probe-nats';

const timeoutMs = 5_000;

/** Returns the version of a server that is already running; throws unless the server can be used. */
export async function checkExternalServer(kind: ServerKind, url: string): Promise<string> {
  return kind === 'mongo' ? checkMongo(url) : checkNats(url);
}

async function checkMongo(url: string): Promise<string> {
  const client = openClient(url);
  try {
    const hello = await client.db('admin').command({ hello: 1 });
    // `isdbgrid` is the reply of a mongos, the router of a sharded cluster.
    if (!hello['setName'] && hello['msg'] !== 'isdbgrid')
      throw new Error('transactions require a replica set or a mongos, and it is neither');
    const info = await client.db('admin').command({ buildInfo: 1 });
    return String(info['version']);
  } catch (error) {
    throw unusable('DAYCARE_MONGO_URL', url, error);
  } finally {
    await client.close();
  }
}

function openClient(url: string): MongoClient {
  try {
    return new MongoClient(url, { serverSelectionTimeoutMS: timeoutMs, runtimeAdapters: { os } });
  } catch (error) {
    throw unusable('DAYCARE_MONGO_URL', url, error);
  }
}

async function checkNats(url: string): Promise<string> {
  return probeNats(url).catch((error: unknown) => {
    throw unusable('DAYCARE_NATS_URL', url, error);
  });
}

function unusable(variable: string, url: string, error: unknown): Error {
  return cannotStart(
    `The server in ${variable} (${hidePassword(url)}) cannot be used: ${reasonOf(error)}; ` +
      `correct ${variable}, or unset it to start a server here.`,
    error,
  );
}

/** Returns a URL, or a list of URLs, with all passwords masked. */
export function hidePassword(url: string): string {
  return url.replaceAll(/\/\/([^/@:]*):[^/@]*@/g, '//$1:***@');
}
