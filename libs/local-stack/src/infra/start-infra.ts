import { join } from 'node:path';
import type { ProcessHandle } from '../process/managed-process';
import { checkExternalServer } from '../servers/external-server';
import type { FoundServer, ServerBinary, ServerKind } from '../servers/find-server';
import type { RunningServer } from '../servers/running-server';
import type { MongoPart } from '../servers/mongo/start-mongo-cluster';
import { startMongod } from '../servers/mongo/start-mongod';
import type { NatsAccess } from '../servers/nats/nats-config';
import { startNatsServer } from '../servers/nats/start-nats-server';
import { serviceNames, type AppName } from '../services/service-catalog';
import type { SupervisedProcess } from './supervised-process';

const logNames = { mongo: 'mongod', nats: 'nats-server' } as const;

/** Puts a server under the stack's supervision. */
export type Supervise = (
  part: ServerKind | MongoPart | `nats-${number}`,
  start: (onSpawn: (child: ProcessHandle) => void) => Promise<RunningServer>,
) => SupervisedProcess<RunningServer>;

export interface InfraOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
  /** The users for a NATS server that is started here. */
  readonly natsAccess: NatsAccess;
}

/** The address of MongoDB or NATS, and whether it was already running. */
export interface InfraAddress {
  readonly url: string;
  readonly version: string;
  readonly external: boolean;
  /** Returns the address that an app uses; the same for all apps if the server was already running. */
  readonly urlOf: (app: AppName) => string;
}

/** Starts a server under supervision; if it is found at a URL, it is already running and is only checked. */
export async function startInfra(
  kind: ServerKind,
  found: FoundServer,
  options: InfraOptions,
): Promise<InfraAddress> {
  if (found.kind === 'url') {
    const version = await checkExternalServer(kind, found.url);
    return { url: found.url, version, external: true, urlOf: () => found.url };
  }
  const {
    url,
    urlOf = () => url,
    version,
  } = await superviseServer(kind, found.binary, options).start();
  return { url, version, external: false, urlOf };
}

function superviseServer(
  kind: ServerKind,
  binary: ServerBinary,
  { dataDir, env, supervise, natsAccess: access }: InfraOptions,
): SupervisedProcess<RunningServer> {
  // Clients know the first address, so every restart must use the same port.
  let port: number | undefined;
  return supervise(kind, async (onSpawn) => {
    const options = {
      binary,
      env,
      onSpawn,
      dataDir: join(dataDir, kind),
      logFile: join(dataDir, 'logs', `${logNames[kind]}.log`),
      ...(port === undefined ? {} : { port }),
    };
    const server = await (kind === 'mongo'
      ? startMongod({ ...options, users: serviceNames })
      : startNatsServer({ ...options, access }));
    port = server.port;
    return server;
  });
}
