import { join } from 'node:path';
import type { ProcessHandle } from '../process/managed-process';
import { checkExternalServer } from '../servers/external-server';
import type { FoundServer, ServerBinary, ServerKind } from '../servers/find-server';
import type { RunningServer } from '../servers/running-server';
import { startMongod } from '../servers/start-mongod';
import { startNatsServer } from '../servers/start-nats-server';
import type { Supervised } from './supervised';

const starters = { mongo: startMongod, nats: startNatsServer } as const;
const logNames = { mongo: 'mongod', nats: 'nats-server' } as const;

/** How a stack makes a supervised part out of a way to start it. */
export type Supervise = (
  part: ServerKind,
  start: (onSpawn: (child: ProcessHandle) => void) => Promise<RunningServer>,
) => Supervised<RunningServer>;

export interface InfraOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly supervise: Supervise;
}

/** Where a server is to be reached, and whether it was there before us. */
export interface InfraAddress {
  readonly url: string;
  readonly version: string;
  readonly external: boolean;
}

/** Starts one server under supervision, or checks the one that is already there. */
export async function startInfra(
  kind: ServerKind,
  found: FoundServer,
  options: InfraOptions,
): Promise<InfraAddress> {
  if (found.kind === 'url') {
    const version = await checkExternalServer(kind, found.url);
    return { url: found.url, version, external: true };
  }
  const { url, version } = await superviseServer(kind, found.binary, options).start();
  return { url, version, external: false };
}

function superviseServer(
  kind: ServerKind,
  binary: ServerBinary,
  { dataDir, env, supervise }: InfraOptions,
): Supervised<RunningServer> {
  // Clients know the first address, so every restart must be at the same port.
  let port: number | undefined;
  return supervise(kind, async (onSpawn) => {
    const server = await starters[kind]({
      binary,
      env,
      onSpawn,
      dataDir: join(dataDir, kind),
      logFile: join(dataDir, 'logs', `${logNames[kind]}.log`),
      ...(port === undefined ? {} : { port }),
    });
    port = server.port;
    return server;
  });
}
