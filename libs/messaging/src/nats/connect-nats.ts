import { setTimeout as delay } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type NatsConnection } from 'nats';
import { withTimeout } from '@daycare/async';
import type { MessagingLogger } from '../shared/logger';

export interface NatsOptions {
  /** One address or several separated by commas; credentials may be part of the first. */
  readonly url: string;
  /** Shown in NATS's monitoring. */
  readonly name: string;
  readonly logger: MessagingLogger;
  /** Aborts the wait for the first connection. */
  readonly signal?: AbortSignal;
}

export interface NatsHandle {
  readonly connection: NatsConnection;
  /** Rejects unless the server answers. */
  ping(): Promise<void>;
  /** Sends what is buffered, then closes. Stop consumers and relays first. */
  close(): Promise<void>;
}

const retryDelayMs = 1_000;
const drainTimeoutMs = 5_000;

/**
 * Waits until NATS is reachable, then stays connected: lost connections are restored automatically.
 * Rejects only when the wait is aborted or the URL or the credentials are wrong.
 */
export async function connectNats(options: NatsOptions): Promise<NatsHandle> {
  const connectionOptions = toConnectionOptions(options);
  const connection = await connectWithRetries(connectionOptions, options);
  void logStatuses(connection, options.logger);
  return {
    connection,
    async ping() {
      await connection.flush();
    },
    async close() {
      await closeConnection(connection);
    },
  };
}

export function toConnectionOptions({
  url,
  name,
}: Pick<NatsOptions, 'url' | 'name'>): ConnectionOptions {
  const urls = url.split(',').map((each) => parseUrl(each.trim()));
  const [first] = urls;
  return {
    name,
    servers: urls.map(({ host }) => host),
    ...(first?.username ? credentialsOf(first) : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    // Otherwise every request creates an Error for its stack trace.
    noAsyncTraces: true,
  };
}

/** The client does not read credentials from the URL itself. */
function credentialsOf({ username, password }: URL): ConnectionOptions {
  const user = decodeURIComponent(username);
  return password ? { user, pass: decodeURIComponent(password) } : { token: user };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text.includes('://') ? text : `nats://${text}`);
  } catch {
    // The text may contain a password, so it is not repeated.
    throw new Error('the NATS URL must have the form nats://host:4222');
  }
}

async function connectWithRetries(
  connectionOptions: ConnectionOptions,
  { logger, signal }: NatsOptions,
): Promise<NatsConnection> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await connect(connectionOptions);
    } catch (error) {
      if (isAuthError(error)) throw error;
      if (attempt === 1) logger.warn({ err: error }, 'NATS is unreachable; retrying');
      await delay(retryDelayMs, undefined, signal ? { signal } : {});
    }
  }
}

function isAuthError(error: unknown): boolean {
  return /authorization|authentication/i.test(error instanceof Error ? error.message : '');
}

async function logStatuses(connection: NatsConnection, logger: MessagingLogger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect) logger.warn({}, 'connection to NATS lost; reconnecting');
    if (type === Events.Reconnect) logger.info({}, 'reconnected to NATS');
    if (type === Events.Error) logger.error({ err: data }, 'NATS reported an error');
  }
}

async function closeConnection(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  // Draining waits for the server, which may be down.
  await withTimeout(connection.drain(), drainTimeoutMs).catch(() => undefined);
  await connection.close();
}
