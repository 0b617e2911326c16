import { setTimeout as delay } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type NatsConnection } from 'nats';
import { withTimeout } from '@daycare/async';
import type { MessagingLogger } from '../shared/logger';
import { toConnectionOptions, type NatsAddress } from './connection-options';
import { refusalOf } from './connection-refusal';
import { PendingLink, type NatsLink } from './nats-link';

export interface NatsOptions extends NatsAddress {
  readonly logger: MessagingLogger;
}

export interface NatsHandle {
  readonly connection: NatsLink;
  /** Rejects unless the server responds. */
  ping(): Promise<void>;
  /** Sends what is buffered, then closes. Stop consumers and relays first. */
  close(): Promise<void>;
}

const retryDelayMs = 1_000;
const drainTimeoutMs = 5_000;

/**
 * Connects to NATS and restores lost connections automatically. If no server is reachable yet, resolves and keeps
 * trying in the background. Rejects with a `NatsRefusal` if the server refuses the credentials, does not offer the
 * TLS that the address requires, or fails the TLS handshake.
 */
export async function connectNats(options: NatsOptions): Promise<NatsHandle> {
  const { logger } = options;
  const connectionOptions = toConnectionOptions(options);
  try {
    const connection = await connect(connectionOptions);
    void logStatuses(connection, logger);
    return toHandle(connection);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) throw refusal;
    logger.warn({ err: error }, 'NATS is unreachable; retrying');
    return connectLater(connectionOptions, logger);
  }
}

function connectLater(options: ConnectionOptions, logger: MessagingLogger): NatsHandle {
  const link = new PendingLink();
  const stopping = new AbortController();
  const connecting = connectWithRetries(options, logger, stopping.signal).then((connection) => {
    if (!connection) return;
    logger.info({}, 'connected to NATS');
    void logStatuses(connection, logger);
    link.open(connection);
  });
  return toHandle(link, async () => {
    stopping.abort();
    await connecting;
  });
}

function toHandle(connection: NatsLink, stop?: () => Promise<void>): NatsHandle {
  return {
    connection,
    ping: () => connection.flush(),
    async close() {
      await stop?.();
      await closeConnection(connection);
    },
  };
}

/**
 * Tries to connect until it succeeds; resolves with undefined if `signal` aborts first. Retries even after a refusal,
 * because the server may be in the middle of a configuration change.
 */
async function connectWithRetries(
  options: ConnectionOptions,
  logger: MessagingLogger,
  signal: AbortSignal,
): Promise<NatsConnection | undefined> {
  let lastRefusal = '';
  for (;;) {
    try {
      await delay(retryDelayMs, undefined, { signal });
      return await connect(options);
    } catch (error) {
      if (signal.aborted) return undefined;
      const refusal = refusalOf(error);
      if (refusal && refusal.message !== lastRefusal)
        logger.error({ err: refusal }, 'NATS refuses this service; retrying');
      lastRefusal = refusal?.message ?? '';
    }
  }
}

async function logStatuses(connection: NatsConnection, logger: MessagingLogger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect) logger.warn({}, 'connection to NATS lost; reconnecting');
    if (type === Events.Reconnect) logger.info({}, 'reconnected to NATS');
    if (type === Events.Error) logger.error({ err: data }, 'NATS reported an error');
  }
}

async function closeConnection(connection: NatsLink): Promise<void> {
  if (connection.isClosed()) return;
  // Draining waits for the server, which may be down.
  await withTimeout(connection.drain(), drainTimeoutMs).catch(() => undefined);
  await connection.close();
}
