import { setTimeout as delay } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type NatsConnection } from 'nats';
import type { MessagingLogger } from './logger';

export interface NatsOptions {
  /** One address or several separated by commas; credentials may be part of the first. */
  readonly url: string;
  /** Shown in NATS's monitoring. */
  readonly name: string;
  readonly logger: MessagingLogger;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal;
}

export interface NatsHandle {
  readonly connection: NatsConnection;
  /** Throws unless the server answers. */
  ping(): Promise<void>;
  /** Sends what is still to be sent, then closes. Stop consumers and relays first. */
  close(): Promise<void>;
}

const retryDelayMs = 1_000;
const drainTimeoutMs = 5_000;

/**
 * Waits until NATS can be reached, then stays connected for ever: lost connections come back by
 * themselves. Rejects only when the wait is aborted or the URL or the credentials are wrong.
 */
export async function connectNats(options: NatsOptions): Promise<NatsHandle> {
  const connectionOptions = toConnectionOptions(options);
  const connection = await connectPatiently(connectionOptions, options);
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
  const urls = url.split(',').map((part) => parseUrl(part.trim()));
  const [first] = urls;
  return {
    name,
    servers: urls.map(({ host }) => host),
    ...(first?.username ? credentialsOf(first) : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    // Otherwise every request makes an Error for its stack.
    noAsyncTraces: true,
  };
}

/** The client itself takes no credentials from a URL. */
function credentialsOf({ username, password }: URL): ConnectionOptions {
  const user = decodeURIComponent(username);
  return password ? { user, pass: decodeURIComponent(password) } : { token: user };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text.includes('://') ? text : `nats://${text}`);
  } catch {
    // The text may hold a password, so it is not repeated.
    throw new Error('the NATS URL must look like nats://host:4222');
  }
}

async function connectPatiently(
  connectionOptions: ConnectionOptions,
  { logger, signal }: NatsOptions,
): Promise<NatsConnection> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await connect(connectionOptions);
    } catch (error) {
      if (isRefusal(error)) throw error;
      if (attempt === 1) logger.warn({ err: error }, 'NATS cannot be reached yet; waiting for it');
      await delay(retryDelayMs, undefined, signal ? { signal } : {});
    }
  }
}

function isRefusal(error: unknown): boolean {
  return /authorization|authentication/i.test(error instanceof Error ? error.message : '');
}

async function logStatuses(connection: NatsConnection, logger: MessagingLogger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect) logger.warn({}, 'connection to NATS lost');
    if (type === Events.Reconnect) logger.info({}, 'connected to NATS again');
    if (type === Events.Error) logger.error({ err: data }, 'NATS reported an error');
  }
}

async function closeConnection(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  const deadline = new AbortController();
  // Draining waits for the server, which may be gone.
  await Promise.race([
    connection.drain().catch(() => undefined),
    delay(drainTimeoutMs, undefined, { signal: deadline.signal }).catch(() => undefined),
  ]);
  deadline.abort();
  await connection.close();
}
