import { ReceiptBatch, ReceiptOutcome, type Receipt } from '@daycare/contracts/common';
import type { NatsConnection, Subscription } from 'nats';
import { Alarm } from './alarm';
import type { MessagingLogger } from './logger';
import type { MessagingObserver } from './observer';
import type { Outcome, OutboxQueue, SettledRow } from './outbox-queue';
import { subjectOfReceipts, type SystemStream } from './system-stream';

export interface ReceiptListenerParts {
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  readonly source: string;
  readonly queue: OutboxQueue;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  /** Told the lanes whose next row may now be published. */
  readonly onSettled: (lanes: readonly string[]) => void;
}

const maxBatch = 512;
const retryMs = 500;

/**
 * Takes receipts and removes their rows. Each receipt reaches one replica of the service; what
 * arrives while the database is busy is handled together.
 */
export class ReceiptListener {
  readonly #parts: ReceiptListenerParts;
  readonly #subscription: Subscription;
  readonly #pause = new Alarm();
  readonly #waiting: Outcome[] = [];
  #settling: Promise<void> | undefined;
  #isStopping = false;

  constructor(parts: ReceiptListenerParts) {
    this.#parts = parts;
    const subject = subjectOfReceipts(parts.stream, parts.source);
    this.#subscription = parts.connection.subscribe(subject, {
      queue: parts.source,
      callback: (error, message) => (error ? undefined : this.#take(message.data)),
    });
  }

  /** Takes no more receipts and resolves when those it has are handled. */
  async stop(): Promise<void> {
    // Receipts already on the way to this replica would otherwise have to be asked for again.
    await this.#subscription.drain().catch(() => undefined);
    this.#isStopping = true;
    this.#pause.ring();
    await this.#settling;
  }

  #take(payload: Uint8Array): void {
    this.#waiting.push(...this.#decode(payload));
    this.#settling ??= this.#settleAll().finally(() => (this.#settling = undefined));
  }

  #decode(payload: Uint8Array): readonly Outcome[] {
    try {
      return ReceiptBatch.decode(payload).receipts.flatMap(toOutcome);
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'ignored receipts that cannot be read');
      return [];
    }
  }

  async #settleAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const outcomes = this.#waiting.slice(0, maxBatch);
      try {
        const settled = await this.#parts.queue.settle(outcomes, new Date());
        this.#waiting.splice(0, outcomes.length);
        this.#parts.onSettled([...new Set(settled.map(({ lane }) => lane))]);
        for (const row of settled) this.#observe(row);
      } catch (error) {
        this.#parts.logger.warn({ err: error }, 'cannot store receipts; will try again');
        // What is dropped now is asked for again by the next relay.
        if (this.#isStopping) return;
        await this.#pause.sleep(retryMs);
      }
    }
  }

  #observe({ id, outcome, reason, acceptedAt }: SettledRow): void {
    const { logger, observer } = this.#parts;
    observer.receipted?.({ outcome, ageMs: Date.now() - acceptedAt.getTime() });
    if (outcome === 'dead')
      logger.warn({ messageId: id, reason }, 'message could not be delivered');
  }
}

function toOutcome({ messageId, outcome, reason }: Receipt): Outcome[] {
  if (outcome === ReceiptOutcome.DELIVERED) return [{ id: messageId, outcome: 'delivered' }];
  if (outcome === ReceiptOutcome.DEAD) return [{ id: messageId, outcome: 'dead', reason }];
  return [];
}
