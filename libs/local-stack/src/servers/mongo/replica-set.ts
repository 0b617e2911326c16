import os from 'node:os';
import { MongoClient, MongoServerError, type Db, type Document } from 'mongodb';
import type { MongoKey } from './mongo-key';

const notYetInitialized = 94;

/**
 * Connects to this server alone, whatever its replica set configuration says. The client authenticates as a member,
 * with the key, so it can connect before any user exists, and even a new server accepts no client without a password.
 */
export function connectDirectly(port: number, { text }: Pick<MongoKey, 'text'>): MongoClient {
  return new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    auth: { username: '__system', password: text },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    appName: 'daycare-local-stack',
    // The driver's own dynamic import does not work inside Jest.
    runtimeAdapters: { os },
  });
}

/** Returns true if the server behind the client has its data in this folder, and undefined otherwise. */
export async function servesFolder(client: MongoClient, dbPath: string): Promise<true | undefined> {
  const answer = await client.db('admin').command({ getCmdLineOpts: 1 });
  const parsed = answer['parsed'] as { storage?: { dbPath?: string } };
  return parsed.storage?.dbPath === dbPath ? true : undefined;
}

/** A replica set of one member. */
export interface SingleMember {
  readonly replicaSet: string;
  readonly host: string;
  /** Whether it stores the configuration of a sharded cluster. */
  readonly isConfig?: boolean;
}

/**
 * Takes one step towards a writable single-node replica set at this address; call it until it returns true. A
 * server that had another address in its last run is reconfigured and keeps its data.
 */
export async function advanceReplicaSet(
  client: MongoClient,
  { host, ...set }: SingleMember,
): Promise<true | undefined> {
  const admin = client.db('admin');
  const hello = await admin.command({ hello: 1 });
  if (hello['isWritablePrimary'] === true && hello['me'] === host) return true;
  const config = await readConfig(admin);
  if (!config) await initiate(admin, { ...set, host });
  else if (!isOnlyMember(config, host)) await changeAddress(admin, config, host);
  return undefined;
}

async function readConfig(admin: Db): Promise<Document | undefined> {
  try {
    const answer = await admin.command({ replSetGetConfig: 1 });
    return answer['config'] as Document;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined;
    throw error;
  }
}

async function initiate(admin: Db, { replicaSet, host, isConfig }: SingleMember): Promise<void> {
  const members = [{ _id: 0, host }];
  await admin.command({
    replSetInitiate: { _id: replicaSet, members, ...(isConfig ? { configsvr: true } : {}) },
  });
}

async function changeAddress(admin: Db, config: Document, host: string): Promise<void> {
  const version = Number(config['version']) + 1;
  const members = [{ _id: 0, host }];
  await admin.command({ replSetReconfig: { ...config, version, members }, force: true });
}

function isOnlyMember(config: Document, host: string): boolean {
  const members = config['members'] as { host: string }[];
  return members.length === 1 && members[0]?.host === host;
}
