import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'nats';
import { ManagedProcess } from '../process/managed-process';
import { startOnRememberedPort } from './remembered-port';
import { acceptsConnections, toRunningServer, waitForServer } from './running-server';
import type { RunningServer, ServerOptions } from './running-server';

/**
 * Starts nats-server with JetStream on 127.0.0.1 and resolves when JetStream answers. The address is that
 * of the last run on the same folder if its port is still free.
 */
export async function startNatsServer(options: ServerOptions): Promise<RunningServer> {
  await mkdir(options.dataDir, { recursive: true });
  const port = {
    name: 'NATS',
    file: join(options.dataDir, 'port'),
    ...(options.port === undefined ? {} : { required: options.port }),
  };
  return startOnRememberedPort(port, (chosen) => startOnPort(options, chosen));
}

async function startOnPort(options: ServerOptions, port: number): Promise<RunningServer> {
  const configFile = join(options.dataDir, 'nats-server.conf');
  await writeFile(configFile, natsConfig(join(options.dataDir, 'store'), port));
  const child = await ManagedProcess.spawn({
    name: 'nats-server',
    command: options.binary.path,
    args: ['--config', configFile],
    env: options.env,
    logFile: options.logFile ?? join(options.dataDir, 'nats-server.log'),
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
  });
  const version = await waitUntilReady(child, port, options.startTimeoutMs);
  return toRunningServer(child, { url: `nats://127.0.0.1:${port}`, port, version });
}

function natsConfig(storeDir: string, port: number): string {
  return [
    'server_name: daycare',
    `listen: "127.0.0.1:${port}"`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
    '',
  ].join('\n');
}

async function waitUntilReady(
  child: ManagedProcess,
  port: number,
  timeoutMs?: number,
): Promise<string> {
  await waitForServer(child, () => acceptsConnections(port), timeoutMs);
  return waitForServer(child, () => probeJetStream(`nats://127.0.0.1:${port}`), timeoutMs);
}

/** The server's version; throws unless JetStream answers. */
export async function probeJetStream(url: string): Promise<string> {
  const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 });
  try {
    await (await connection.jetstreamManager({ timeout: 2_000 })).getAccountInfo();
    return connection.info?.version ?? 'unknown';
  } finally {
    await connection.close();
  }
}
