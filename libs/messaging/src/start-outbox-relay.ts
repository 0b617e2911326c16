import type { Db } from 'mongodb';
import type { NatsConnection } from 'nats';
import type { MessagingLogger } from './logger';
import type { MessagingObserver } from './observer';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxQueue } from './outbox-queue';
import { OutboxRelay } from './outbox-relay';
import { ReceiptListener } from './receipt-listener';
import type { SystemStream } from './system-stream';

const minuteMs = 60_000;

export interface OutboxRelayOptions {
  readonly db: Db;
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  /** The service's name, the same as the OutboxStore's. */
  readonly source: string;
  readonly logger: MessagingLogger;
  readonly observer?: MessagingObserver;
  /** How often all lanes are looked at. */
  readonly pollMs?: number;
  /** How long to wait for a receipt before publishing again; doubles up to the maximum. */
  readonly republishAfterMs?: number;
  readonly maxRepublishAfterMs?: number;
  readonly maxInFlight?: number;
  /** How long what became of a message is remembered. */
  readonly receiptTtlMs?: number;
}

export interface OutboxRelayHandle {
  /** Publishes what is new in these lanes at once; call it after an append or its commit. */
  wake(lanes: Iterable<string>): void;
  /** Resolves when nothing is under way any more. Close the connections afterwards. */
  stop(): Promise<void>;
}

/**
 * Carries a service's outbox to NATS: publishes rows, publishes them again while no receipt comes,
 * removes them when it does. Every replica runs one; it needs `outboxIndexes` to be ensured.
 */
export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelayHandle {
  const { connection, stream, source, logger, observer = {}, republishAfterMs = 15_000 } = options;
  refuseSwallowing(republishAfterMs, stream.duplicateWindowMs);
  const queue = new OutboxQueue(options.db, {
    republishAfterMs,
    maxRepublishAfterMs: options.maxRepublishAfterMs ?? 5 * minuteMs,
    receiptTtlMs: options.receiptTtlMs ?? 7 * 24 * 60 * minuteMs,
  });
  const common = { connection, stream, source, queue, logger, observer };
  const relay = new OutboxRelay({
    ...common,
    publisher: new OutboxPublisher(common),
    pollMs: options.pollMs ?? 1_000,
    maxInFlight: options.maxInFlight ?? 256,
  });
  const receipts = new ReceiptListener({ ...common, onSettled: (lanes) => relay.wake(lanes) });
  return {
    wake: (lanes) => relay.wake(lanes),
    async stop() {
      await relay.stop();
      await receipts.stop();
    },
  };
}

/** Within its window NATS answers a second publication as if it had stored it. */
function refuseSwallowing(republishAfterMs: number, duplicateWindowMs: number): void {
  if (republishAfterMs > duplicateWindowMs) return;
  throw new Error(
    `republishAfterMs (${republishAfterMs}) must be longer than the stream's duplicateWindowMs (${duplicateWindowMs})`,
  );
}
