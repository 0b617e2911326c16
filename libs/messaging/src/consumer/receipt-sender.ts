import { ReceiptBatch, ReceiptOutcome, type Receipt } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import type { ServiceName } from '@daycare/contracts/access';
import type { MessagingLogger } from '../shared/logger';
import type { Outcome } from '../outbox/rows/message-source';
import type { NatsLink } from '../nats/nats-link';
import { isSubjectToken, subjectOfReceipts, type SystemStream } from '../nats/system-stream';

const maxBatch = 256;
const maxReasonLength = 500;

/** Sends receipts to the senders of messages, in batches. When a receipt is lost, its message is published again. */
export class ReceiptSender {
  readonly #waiting = new Map<string, Receipt[]>();

  constructor(
    private readonly connection: NatsLink,
    private readonly stream: SystemStream,
    /** The service that sends the receipts. */
    private readonly consumer: ServiceName,
    private readonly logger: MessagingLogger,
  ) {}

  /**
   * Queues a receipt for the next `flush` or full batch. `source` is the service that published the message; nothing is
   * sent if it is not a valid name.
   */
  add(source: string, receipt: Outcome): void {
    if (!isSubjectToken(source)) return;
    const receipts = this.#waiting.get(source) ?? [];
    this.#waiting.set(source, receipts);
    if (receipts.push(toReceipt(receipt)) >= maxBatch) this.flush();
  }

  flush(): void {
    for (const [source, receipts] of this.#waiting) this.#send(source, receipts);
    this.#waiting.clear();
  }

  #send(source: string, receipts: Receipt[]): void {
    try {
      const payload = ReceiptBatch.encode({ receipts }).finish();
      const subject = subjectOfReceipts(this.stream, { source, consumer: this.consumer });
      this.connection.publish(subject, payload);
    } catch (error) {
      this.logger.warn(
        { err: error, source },
        'cannot send receipts; their messages will be republished',
      );
    }
  }
}

function toReceipt({ id, outcome, reason = '', acceptedAt, isForService }: Outcome): Receipt {
  return {
    messageId: id,
    outcome: enumOf(ReceiptOutcome, outcome),
    reason: reason.slice(0, maxReasonLength),
    acceptedAt,
    forService: isForService ?? false,
  };
}
