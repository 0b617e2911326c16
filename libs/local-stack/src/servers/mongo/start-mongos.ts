import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cannotStart } from '../../process/cannot-start';
import { ManagedProcess } from '../../process/managed-process';
import type { ServerBinary } from '../find-server';
import { startOnRememberedPort } from '../remembered-port';
import type { RunningServer, ServerOptions } from '../running-server';
import { acceptsConnections, toRunningServer, waitForServer } from '../running-server';
import type { MongoKey } from './mongo-key';
import { mongosArguments } from './mongod-arguments';
import { makeMongodRunnable } from '../packaged-mongod';

export interface MongosOptions extends ServerOptions {
  readonly key: MongoKey;
  /** The replica set of the config server and its address: `config/127.0.0.1:12345`. */
  readonly configServer: string;
}

/** Starts the router of a sharded cluster on 127.0.0.1 and resolves when it accepts connections. */
export async function startMongos(options: MongosOptions): Promise<RunningServer> {
  await mkdir(options.dataDir, { recursive: true });
  const port = {
    name: 'the MongoDB router',
    file: join(options.dataDir, 'port'),
    ...(options.port === undefined ? {} : { required: options.port }),
  };
  return startOnRememberedPort(port, (chosen) => startOnPort(options, chosen));
}

async function startOnPort(options: MongosOptions, port: number): Promise<RunningServer> {
  const { key, configServer, dataDir } = options;
  const program = makeMongodRunnable(findMongos(options.binary), options.env, dataDir);
  const child = await ManagedProcess.spawn({
    name: 'mongos',
    command: program.path,
    args: mongosArguments({ port, key, configServer }),
    env: program.env,
    logFile: options.logFile ?? join(dataDir, 'mongos.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  await waitForServer(child, () => acceptsConnections(port), options.startTimeoutMs);
  return toRunningServer(child, { url: `mongodb://127.0.0.1:${port}/`, port, version: '' });
}

/** Finds mongos beside mongod, where MongoDB distributions put it. */
function findMongos(mongod: ServerBinary): ServerBinary {
  const path = join(dirname(mongod.path), 'mongos');
  if (existsSync(path)) return { ...mongod, path };
  throw cannotStart(
    `A sharded cluster needs mongos, which is not beside ${mongod.path}; install it there, or set DAYCARE_MONGOD to a mongod with mongos beside it.`,
  );
}
