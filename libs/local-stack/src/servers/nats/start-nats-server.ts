import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ManagedProcess } from '../../process/managed-process';
import { startOnRememberedPort } from '../remembered-port';
import { acceptsConnections, toRunningServer, waitForServer } from '../running-server';
import type { RunningServer, ServerOptions } from '../running-server';
import { withNatsUser } from '../../credentials/nats-passwords';
import { probeNats } from '../probe-nats';
import { renderNatsConfig, type ClusterMember, type NatsAccess } from './nats-config';

export interface NatsServerOptions extends ServerOptions {
  readonly access: NatsAccess;
  /** Only for a server that belongs to a cluster. */
  readonly member?: ClusterMember;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1 and resolves when JetStream responds; for a member of a cluster, when
 * the member accepts connections, since JetStream needs a majority of the members. The server uses the same port as in
 * its last run on the same folder if that port is still free. Only the users in `access` can connect.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<RunningServer> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  // The server writes files that the user's group may read, so the group must not have access to their
  // folder.
  await chmod(options.dataDir, 0o700);
  const port = {
    name: 'NATS',
    file: join(options.dataDir, 'port'),
    ...(options.port === undefined ? {} : { required: options.port }),
  };
  return startOnRememberedPort(port, (chosen) => startOnPort(options, chosen));
}

async function startOnPort(options: NatsServerOptions, port: number): Promise<RunningServer> {
  const configFile = join(options.dataDir, 'nats-server.conf');
  const { access, member } = options;
  const storeDir = join(options.dataDir, 'store');
  const config = renderNatsConfig({ port, storeDir, access, ...(member ? { member } : {}) });
  await writeFile(configFile, config, { mode: 0o600 });
  await chmod(configFile, 0o600);
  const child = await ManagedProcess.spawn({
    name: member?.name ?? 'nats-server',
    command: options.binary.path,
    args: ['--config', configFile],
    env: options.env,
    logFile: options.logFile ?? join(options.dataDir, 'nats-server.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  const version = await waitUntilReady(child, port, options);
  const url = `nats://127.0.0.1:${port}`;
  const urlOf = (app: string): string => withNatsUser(url, app, access.passwords);
  return { ...toRunningServer(child, { url, port, version }), urlOf };
}

async function waitUntilReady(
  child: ManagedProcess,
  port: number,
  { access, member, startTimeoutMs }: NatsServerOptions,
): Promise<string> {
  await waitForServer(child, () => acceptsConnections(port), startTimeoutMs);
  const url = withNatsUser(`nats://127.0.0.1:${port}`, 'topology', access.passwords);
  const probe = (): Promise<string> => probeNats(url, { jetStream: member === undefined });
  return waitForServer(child, probe, startTimeoutMs);
}
