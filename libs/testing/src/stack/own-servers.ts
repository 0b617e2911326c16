import { join } from 'node:path';
import {
  findServer,
  findWorkspaceRoot,
  startMongod,
  startNatsServer,
  startReplicaSet,
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
  const location = findServer(kind, { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (location.kind === 'url')
    throw new Error('a test cannot own a server that was already running');
  let port: number | undefined;
  return Restartable.start(async () => {
    const options = {
      binary: location.binary,
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

/** Starts a replica set of three members for one test, which may kill and restart them. */
export async function startOwnReplicaSet(
  folder: string,
): Promise<{ readonly url: string; readonly members: readonly Restartable<RunningServer>[] }> {
  const { DAYCARE_MONGO_URL: _dropped, ...env } = process.env;
  const location = findServer('mongo', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (location.kind === 'url')
    throw new Error('a test cannot own a server that was already running');
  const members: Restartable<RunningServer>[] = [];
  const { url } = await startReplicaSet({
    binary: location.binary,
    env,
    dataDir: join(folder, 'mongo'),
    async launch(start) {
      const member = await Restartable.start(start);
      members.push(member);
      return member.current;
    },
  });
  return { url, members };
}
