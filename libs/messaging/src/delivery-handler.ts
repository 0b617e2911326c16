import type { SystemMessage } from '@daycare/contracts/common';
import { AppError, toAppError, type ErrorCode } from '@daycare/errors';
import type { JsMsg } from 'nats';
import { readDelivery, type Delivery } from './delivery';
import { FailureCounts } from './failure-counts';
import { LaneChains } from './lane-chains';
import type { MessagingLogger } from './logger';
import type { MessagingObserver } from './observer';
import type { ReceiptSender } from './receipt-sender';
import { blameFor, retryDelayMs, type RetryTiming } from './blame';
import { continueTrace } from './trace';

/** A message that will not be handled, to be kept for a person to look at. */
export interface DeadLetter {
  /** The message's id, or its place in the stream when it has none. */
  readonly id: string;
  /** Undefined when the payload cannot be read. */
  readonly message: SystemMessage | undefined;
  readonly payload: Uint8Array;
  readonly code: ErrorCode;
  /** Shown to the sender. */
  readonly reason: string;
}

export interface DeliveryHandlerParts {
  readonly handle: (
    message: SystemMessage,
    context: { readonly deliveries: number },
  ) => Promise<void>;
  readonly deadLetter: (letter: DeadLetter) => Promise<void>;
  readonly receipts: ReceiptSender;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  readonly maxFailures: number;
  readonly maxDeliveries: number;
  readonly retry: RetryTiming;
  readonly ackWaitMs: number;
}

/**
 * The life of one delivery: handle, receipt, acknowledge; or try again later; or bury. NATS is told
 * only after the database has it.
 */
export class DeliveryHandler {
  readonly #parts: DeliveryHandlerParts;
  readonly #lanes = new LaneChains();
  readonly #failures = new FailureCounts();

  constructor(parts: DeliveryHandlerParts) {
    this.#parts = parts;
  }

  /** Resolves when NATS has been told something, or cannot be told. Never rejects. */
  async process(incoming: JsMsg): Promise<void> {
    // A slow handler keeps telling NATS that it is at work, also while it waits for its lane.
    const heartbeat = setInterval(() => incoming.working(), this.#parts.ackWaitMs / 3);
    try {
      await this.#dispatch(incoming, readDelivery(incoming));
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'a delivery stays unanswered; it will come again');
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #dispatch(incoming: JsMsg, delivery: Delivery): Promise<void> {
    const { message } = delivery;
    if (!message) return this.#bury(incoming, delivery, unreadable());
    await this.#lanes.run(laneOf(message), () => this.#try(incoming, delivery, message));
  }

  async #try(incoming: JsMsg, delivery: Delivery, message: SystemMessage): Promise<void> {
    const { id, source, deliveries, traceparent } = delivery;
    if (deliveries > this.#parts.maxDeliveries) return this.#bury(incoming, delivery, hopeless());
    try {
      await continueTrace(traceparent, 'handle system message', () =>
        this.#parts.handle(message, { deliveries }),
      );
    } catch (error) {
      return this.#fail(incoming, delivery, error);
    }
    this.#failures.forget(id);
    this.#parts.receipts.add(source, { id, outcome: 'delivered' });
    incoming.ack();
    this.#parts.observer.handled?.({ ageMs: ageMsOf(message), deliveries });
  }

  async #fail(incoming: JsMsg, delivery: Delivery, thrown: unknown): Promise<void> {
    const { logger, observer, maxFailures } = this.#parts;
    const { id, deliveries } = delivery;
    const error = toAppError(thrown);
    const blame = blameFor(error.code);
    const failures = this.#failures.add(id, blame === 'suspect');
    if (blame === 'hopeless' || failures.faults >= maxFailures) {
      return this.#bury(incoming, delivery, error);
    }
    const delayMs = retryDelayMs(failures.all, this.#parts.retry);
    logger.warn({ err: error, messageId: id, deliveries, delayMs }, 'message will be tried again');
    observer.retried?.({ code: error.code, deliveries });
    incoming.nak(delayMs);
  }

  async #bury(incoming: JsMsg, delivery: Delivery, error: AppError): Promise<void> {
    const { deadLetter, logger, observer, receipts, retry } = this.#parts;
    const { id, source, message, payload, deliveries } = delivery;
    const { code, message: reason } = error;
    const letterId = id || `${incoming.info.stream}:${incoming.seq}`;
    try {
      await deadLetter({ id: letterId, message, payload, code, reason });
    } catch (failure) {
      logger.error({ err: failure, messageId: letterId }, 'cannot store a dead letter; keeping it');
      const { all } = this.#failures.add(letterId, false);
      return incoming.nak(retryDelayMs(all, retry));
    }
    this.#failures.forget(letterId);
    if (id) receipts.add(source, { id, outcome: 'dead', reason });
    incoming.term(code);
    observer.buried?.({ code });
    logger.error({ err: error, messageId: letterId, deliveries }, 'message became a dead letter');
  }
}

function unreadable(): AppError {
  return new AppError('INVALID_ARGUMENT', 'unreadable message');
}

/** Something about it ends the process or hangs it, time and again. */
function hopeless(): AppError {
  return new AppError('INTERNAL', 'delivered too often without an end');
}

function laneOf({ source, lane }: SystemMessage): string {
  return `${source} ${lane}`;
}

function ageMsOf({ acceptedAt }: SystemMessage): number {
  return acceptedAt ? Date.now() - acceptedAt.getTime() : 0;
}
