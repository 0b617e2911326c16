import { join } from 'node:path';
import {
  findServer,
  findWorkspaceRoot,
  startMongod,
  startNatsServer,
  type NatsPasswords,
  type RunningServer,
  type ServerKind,
} from '@daycare/local-stack';
import { Restartable } from './restartable';

/** Starts a server for one test, which may kill and restart it. */
export async function startOwnServer(
  kind: ServerKind,
  folder: string,
  passwords: NatsPasswords,
): Promise<Restartable<RunningServer>> {
  const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...env } = process.env;
  const found = findServer(kind, { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (found.kind === 'url') throw new Error('a test cannot own a server that was already running');
  let port: number | undefined;
  return Restartable.start(async () => {
    const options = {
      binary: found.binary,
      env,
      dataDir: join(folder, kind),
      ...(port === undefined ? {} : { port }),
    };
    const server = await (kind === 'mongo'
      ? startMongod(options)
      : startNatsServer({ ...options, access: { passwords, prefix: '*' } }));
    port = server.port;
    return server;
  });
}
