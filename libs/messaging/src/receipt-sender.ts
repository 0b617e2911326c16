import { ReceiptBatch, ReceiptOutcome, type Receipt } from '@daycare/contracts/common';
import type { NatsConnection } from 'nats';
import type { MessagingLogger } from './logger';
import type { Outcome } from './outbox-queue';
import { isSubjectToken, subjectOfReceipts, type SystemStream } from './system-stream';

const flushAfterMs = 2;
const maxBatch = 256;
const maxReasonLength = 500;

const wireOutcome = {
  delivered: ReceiptOutcome.DELIVERED,
  dead: ReceiptOutcome.DEAD,
} as const satisfies Record<Outcome['outcome'], ReceiptOutcome>;

/** Tells senders what became of their messages, many at a time. A lost receipt is asked for again. */
export class ReceiptSender {
  readonly #waiting = new Map<string, Receipt[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly stream: SystemStream,
    private readonly logger: MessagingLogger,
  ) {}

  /** `source` is the service that published the message. */
  add(source: string, { id, outcome, reason = '' }: Outcome): void {
    if (!isSubjectToken(source)) return;
    const receipts = this.#waiting.get(source) ?? [];
    this.#waiting.set(source, receipts);
    const waiting = receipts.push({
      messageId: id,
      outcome: wireOutcome[outcome],
      reason: reason.slice(0, maxReasonLength),
    });
    if (waiting >= maxBatch) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushAfterMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [source, receipts] of this.#waiting) this.#send(source, receipts);
    this.#waiting.clear();
  }

  #send(source: string, receipts: Receipt[]): void {
    try {
      const payload = ReceiptBatch.encode({ receipts }).finish();
      this.connection.publish(subjectOfReceipts(this.stream, source), payload);
    } catch (error) {
      this.logger.warn(
        { err: error, source },
        'cannot send receipts; they will be asked for again',
      );
    }
  }
}
