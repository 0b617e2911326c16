import type { NatsLink } from '../nats/nats-link';
import type { MessagingLogger } from '../shared/logger';
import type { MessagingObserver } from '../shared/observer';
import type { Backlog, MessageSource, OutgoingMessage } from './rows/message-source';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxRelay } from './outbox-relay';
import { receiptTtlMs as defaultReceiptTtlMs } from './rows/outbox-row';
import { OutboxSource } from './outbox-source';
import type { OutboxStore } from './outbox-store';
import { ReceiptListener } from './receipt-listener';
import type { SystemStream } from '../nats/system-stream';

const minuteMs = 60_000;

export interface OutboxRelayOptions {
  readonly outbox: OutboxStore;
  /** Other places where the service keeps messages; ids that none of them owns belong to the outbox. */
  readonly sources?: readonly MessageSource[];
  readonly connection: NatsLink;
  readonly stream: SystemStream;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  /**
   * The longest interval between polls for messages that other replicas stored. By default two thirds of
   * `republishAfterMs`, but between one and ten seconds.
   */
  readonly pollMs?: number;
  /** How long to wait for a receipt before publishing again; doubles up to the maximum. */
  readonly republishAfterMs?: number;
  readonly maxRepublishAfterMs?: number;
  readonly maxInFlight?: number;
  /** How long receipts are kept. */
  readonly receiptTtlMs?: number;
}

export interface OutboxRelayHandle {
  /** Publishes messages that another source has just stored, with this publication already counted. */
  publish(messages: readonly OutgoingMessage[]): void;
  /** Immediately publishes what is due; call it after the commit of a transaction with an append. */
  readonly wake: () => void;
  /** Counts the messages of all sources that are waiting for their receipts, for metrics. */
  backlog(): Promise<Backlog>;
  /**
   * Stops republishing and storing receipts; resolves when neither is in progress. Messages that are accepted later are
   * still published until the connection is closed.
   */
  stop(): Promise<void>;
}

/**
 * Publishes a service's messages to NATS: immediately when they are accepted, and again until their
 * receipt arrives. Every replica runs one relay. Requires the `outboxIndexes`.
 */
export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelayHandle {
  const { outbox, connection, stream, logger, observer } = options;
  const { republishAfterMs = 15_000 } = options;
  assertOutlastsWindow(republishAfterMs, stream.duplicateWindowMs);
  const sources = allSources(options, republishAfterMs);
  const { clock } = outbox;
  const common = { connection, stream, source: outbox.source, sources, logger, observer, clock };
  const relay = new OutboxRelay({
    ...common,
    publisher: new OutboxPublisher(common),
    pollMs: options.pollMs ?? pollMsFor(republishAfterMs),
    maxInFlight: options.maxInFlight ?? 256,
    skipRecentMs: republishAfterMs / 4,
  });
  const receipts = new ReceiptListener({ ...common, onReleased: () => relay.wake() });
  outbox.publishThrough({ publish: (messages) => relay.publish(messages), republishAfterMs });
  return {
    publish: (messages) => relay.publish(messages),
    wake: () => relay.wake(),
    backlog: async () => addUp(await Promise.all(sources.map((source) => source.backlog()))),
    async stop() {
      await relay.stop();
      await receipts.stop();
    },
  };
}

function allSources(
  { outbox, sources = [], maxRepublishAfterMs, receiptTtlMs }: OutboxRelayOptions,
  republishAfterMs: number,
): readonly MessageSource[] {
  const timing = {
    republishAfterMs,
    maxRepublishAfterMs: maxRepublishAfterMs ?? 5 * minuteMs,
    receiptTtlMs: receiptTtlMs ?? defaultReceiptTtlMs,
  };
  const belongsToOutbox = (id: string): boolean => !sources.some((source) => source.owns(id));
  const onSettled = (ids: readonly string[]): void => outbox.noteReceipts(ids);
  // The outbox comes last, because other sources may hold notices that end some of its messages.
  return [...sources, new OutboxSource(outbox.db, timing, belongsToOutbox, onSettled)];
}

function addUp(backlogs: readonly Backlog[]): Backlog {
  const rows = backlogs.reduce((sum, backlog) => sum + backlog.rows, 0);
  const [oldestAcceptedAt] = backlogs
    .flatMap((backlog) => backlog.oldestAcceptedAt ?? [])
    .sort((a, b) => +a - +b);
  return { rows, ...(oldestAcceptedAt ? { oldestAcceptedAt } : {}) };
}

/**
 * A published message is due no sooner than `republishAfterMs` after it was stored, so at least one poll sees
 * it before it is due. A message that is due immediately comes with a wake-up; if the process that was to publish
 * it has died, the message waits no longer than this interval.
 */
function pollMsFor(republishAfterMs: number): number {
  return Math.min(10_000, Math.max(1_000, (republishAfterMs * 2) / 3));
}

/**
 * Within the duplicate window NATS confirms a second publication without storing it, so publishing again that
 * early would be pointless.
 */
function assertOutlastsWindow(republishAfterMs: number, duplicateWindowMs: number): void {
  if (republishAfterMs > duplicateWindowMs) return;
  throw new Error(
    `republishAfterMs (${republishAfterMs}) must be longer than the stream's duplicateWindowMs (${duplicateWindowMs})`,
  );
}
