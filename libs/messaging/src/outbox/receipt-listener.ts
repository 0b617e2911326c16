import { ReceiptBatch, ReceiptOutcome, type Receipt } from '@daycare/contracts/common';
import type { Msg } from 'nats';
import { Wakeup } from '@daycare/async';
import type { DatabaseClock } from '@daycare/mongo';
import type { MessagingLogger } from '../shared/logger';
import type { MessagingObserver } from '../shared/observer';
import type { MessageSource, Outcome } from './rows/message-source';
import type { LinkSubscription, NatsLink } from '../nats/nats-link';
import { consumerIn, subjectOfReceipts, type SystemStream } from '../nats/system-stream';

export interface ReceiptListenerDeps {
  readonly connection: NatsLink;
  readonly stream: SystemStream;
  readonly source: string;
  readonly sources: readonly MessageSource[];
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  readonly clock: DatabaseClock;
  /** Called when messages that had to wait for receipts have become due. */
  readonly onReleased: () => void;
}

const maxBatch = 512;
const retryMs = 500;

/**
 * Receives receipts and stores them. Each receipt reaches one replica of the service; receipts
 * that arrive while the database is busy are stored together.
 */
export class ReceiptListener {
  readonly #deps: ReceiptListenerDeps;
  readonly #subscription: LinkSubscription;
  readonly #pause = new Wakeup();
  readonly #waiting: Outcome[] = [];
  #settling: Promise<void> | undefined;
  #isStopping = false;

  constructor(deps: ReceiptListenerDeps) {
    this.#deps = deps;
    const { stream, source } = deps;
    const subject = subjectOfReceipts(stream, { source, consumer: '*' });
    this.#subscription = deps.connection.subscribe(subject, {
      queue: deps.source,
      callback: (error, message) => (error ? undefined : this.#receive(message)),
    });
  }

  /** Accepts no more receipts; resolves once the last attempt to store those already received is over. */
  async stop(): Promise<void> {
    // Without draining, messages whose receipts are on the way would be republished.
    await this.#subscription.drain().catch(() => undefined);
    this.#isStopping = true;
    this.#pause.signal();
    await this.#settling;
  }

  #receive({ subject, data }: Msg): void {
    const consumer = consumerIn(subject);
    this.#waiting.push(...this.#decode(data).map((outcome) => ({ ...outcome, consumer })));
    this.#settling ??= this.#settleAll().finally(() => (this.#settling = undefined));
  }

  #decode(payload: Uint8Array): readonly Outcome[] {
    try {
      return ReceiptBatch.decode(payload).receipts.flatMap(toOutcome);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'ignored receipts that cannot be decoded');
      return [];
    }
  }

  async #settleAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const outcomes = this.#waiting.slice(0, maxBatch);
      try {
        await this.#settle(outcomes);
        this.#waiting.splice(0, outcomes.length);
      } catch (error) {
        this.#deps.logger.warn({ err: error }, 'cannot store receipts; retrying');
        // Messages whose receipts are dropped here are republished by another relay.
        if (this.#isStopping) return;
        await this.#pause.sleep(retryMs);
      }
    }
  }

  async #settle(outcomes: readonly Outcome[]): Promise<void> {
    for (const source of this.#deps.sources) {
      const owned = outcomes.filter(({ id }) => source.owns(id));
      if (owned.length === 0) continue;
      const { settled, hasReleased } = await source.settle(owned, this.#deps.clock.now());
      if (hasReleased) this.#deps.onReleased();
      // If some of the receipts had arrived before, only as many are observed as were new.
      for (const outcome of owned.slice(0, settled)) this.#observe(outcome);
    }
  }

  #observe({ id, outcome, reason, acceptedAt = new Date() }: Outcome): void {
    const { logger, observer } = this.#deps;
    observer.receiptStored?.({ outcome, ageMs: Date.now() - acceptedAt.getTime() });
    if (outcome === 'dead') logger.warn({ messageId: id, reason }, 'message was not delivered');
  }
}

function toOutcome(receipt: Receipt): Outcome[] {
  const { messageId: id, reason, acceptedAt, forService: isForService } = receipt;
  const facts = { id, isForService, ...(acceptedAt ? { acceptedAt } : {}) };
  if (receipt.outcome === ReceiptOutcome.DELIVERED) return [{ ...facts, outcome: 'delivered' }];
  if (receipt.outcome === ReceiptOutcome.DEAD) return [{ ...facts, outcome: 'dead', reason }];
  return [];
}
