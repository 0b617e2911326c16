import { classifyFailure, toAppError, type AppError } from '@daycare/api';
import type { MessagingLogger } from '../shared/logger';
import type { MessagingObserver } from '../shared/observer';
import type { BatchHandler, ReceivedMessage } from './batch-handler';
import { traceBatch } from './batch-spans';
import { retryDelayMs, type RetryTiming } from './failures/retry-delay';
import {
  exceededDeliveries,
  UnprocessableError,
  undecodable,
  type DeadLetter,
} from './failures/dead-letter';
import { FailureCounts } from './failures/failure-counts';
import {
  retryLater,
  type HandledOutcome,
  type HeldMessage,
  type HeldMessages,
} from './held-messages';
import type { ReceiptSender } from './receipt-sender';

export interface BatchProcessorDeps {
  readonly handler: BatchHandler;
  readonly deadLetter: (letter: DeadLetter) => Promise<void>;
  readonly held: HeldMessages;
  readonly receipts: ReceiptSender;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  readonly maxFailures: number;
  readonly maxDeliveries: number;
  readonly retry: RetryTiming;
}

/** A message with the handler's plan for it, or with the error that the handler returned instead. */
interface Planned {
  readonly held: HeldMessage;
  readonly plan: unknown;
}

/** The keys of messages that were not handled; their successors in the batch have to wait. */
type UnhandledKeys = Set<string>;

/**
 * Processes one batch: prepares it, buries what can never be handled, stores the rest, then acknowledges it
 * and sends receipts. Acknowledgements and receipts are sent only once the outcome is in the database.
 */
export class BatchProcessor {
  readonly #deps: BatchProcessorDeps;
  readonly #failures = new FailureCounts();

  constructor(deps: BatchProcessorDeps) {
    this.#deps = deps;
  }

  /**
   * Every predecessor of a message must be handled already or come earlier in the batch. The handler's failures do not
   * make it reject.
   */
  async process(batch: readonly HeldMessage[]): Promise<void> {
    const unhandledKeys: UnhandledKeys = new Set();
    const readable = await this.#buryUnprocessable(batch, unhandledKeys);
    if (readable.length > 0)
      await traceBatch(readable.map(toReceived), this.#deps.handler, async () => {
        const planned = await this.#prepare(readable);
        await this.#store(await this.#sortOut(planned, unhandledKeys), unhandledKeys);
      });
    this.#deps.receipts.flush();
  }

  /** Buries messages that cannot be decoded or have been delivered too many times; returns the others. */
  async #buryUnprocessable(
    batch: readonly HeldMessage[],
    unhandledKeys: UnhandledKeys,
  ): Promise<readonly HeldMessage[]> {
    const readable: HeldMessage[] = [];
    for (const held of batch) {
      const error = this.#whyUnprocessable(held);
      if (!error) readable.push(held);
      else if (await this.#retryUnlessBuried(held, error, batch)) unhandledKeys.add(held.key);
    }
    return readable;
  }

  #whyUnprocessable({
    delivery: { message },
    bundles,
  }: HeldMessage): UnprocessableError | undefined {
    if (!message) return undecodable();
    const deliveries = Math.max(...bundles.map((bundle) => bundle.deliveries));
    return deliveries > this.#deps.maxDeliveries ? exceededDeliveries() : undefined;
  }

  /**
   * Prepares the batch. If that fails, and one of the messages may be the cause, prepares them one by one to
   * find that message.
   */
  async #prepare(batch: readonly HeldMessage[]): Promise<readonly Planned[]> {
    try {
      const plans = await this.#deps.handler.prepare(batch.map(toReceived));
      return batch.map((held, index) => ({ held, plan: plans[index] }));
    } catch (error) {
      const [first] = batch;
      if (!first || batch.length === 1 || isTransient(error))
        return batch.map((held) => ({ held, plan: toAppError(error) }));
      const planned: Planned[] = [];
      for (const held of batch) planned.push(...(await this.#prepare([held])));
      return planned;
    }
  }

  /**
   * Returns what can be stored, and buries or retries the rest. A message is buried only once its predecessors are
   * handled.
   */
  async #sortOut(
    planned: readonly Planned[],
    unhandledKeys: UnhandledKeys,
  ): Promise<readonly Planned[]> {
    const storable: Planned[] = [];
    for (const entry of planned) {
      const { held, plan } = entry;
      if (held.predecessors.some((id) => unhandledKeys.has(id))) unhandledKeys.add(held.key);
      else if (!(plan instanceof Error)) storable.push(entry);
      else if (await this.#retryUnlessBuried(held, plan, storable.map(heldOf)))
        unhandledKeys.add(held.key);
    }
    return storable;
  }

  async #store(storable: readonly Planned[], unhandledKeys: UnhandledKeys): Promise<void> {
    if (storable.length === 0) return;
    let dropped: ReadonlyMap<string, string> | undefined;
    try {
      dropped = await this.#deps.handler.store(storable.map(({ plan }) => plan));
    } catch (error) {
      const failsTogether = storable.length === 1 || isTransient(error);
      return failsTogether
        ? this.#failAll(storable, error)
        : this.#storeEach(storable, unhandledKeys);
    }
    for (const { held } of storable) this.#finish(held, dropped?.get(held.key));
  }

  async #storeEach(storable: readonly Planned[], unhandledKeys: UnhandledKeys): Promise<void> {
    for (const entry of storable) {
      const { held } = entry;
      if (!held.predecessors.some((id) => unhandledKeys.has(id)))
        await this.#store([entry], unhandledKeys);
      if (!this.#deps.held.isHandled(held.key)) unhandledKeys.add(held.key);
    }
  }

  async #failAll(storable: readonly Planned[], error: unknown): Promise<void> {
    for (const { held } of storable) await this.#retryUnlessBuried(held, toAppError(error), []);
  }

  #finish(held: HeldMessage, dropReason: string | undefined): void {
    this.#failures.forget(held.key);
    const isDropped = dropReason !== undefined;
    this.#reportOutcome(
      held,
      isDropped ? { outcome: 'dead', reason: dropReason } : { outcome: 'delivered' },
    );
    this.#deps.observer.handled?.();
  }

  #reportOutcome(held: HeldMessage, outcome: HandledOutcome): void {
    queueReceipt(this.#deps.receipts, held, outcome);
    this.#deps.held.finish(held, outcome);
  }

  /**
   * Handles a failure. Resolves with true if the message will be retried, later or once its predecessors among the
   * `unfinished` are handled; with false if it has become a dead letter.
   */
  async #retryUnlessBuried(
    held: HeldMessage,
    error: Error,
    unfinished: readonly HeldMessage[],
  ): Promise<boolean> {
    if (unfinished.some(({ key }) => held.predecessors.includes(key))) return true;
    const cause = toAppError(error);
    const failure = classifyFailure(cause.code);
    const isPermanent = cause instanceof UnprocessableError || failure === 'permanent';
    const failures = this.#failures.add(held.key, failure === 'suspect');
    if (isPermanent || failures.faults >= this.#deps.maxFailures)
      return !(await this.#bury(held, cause));
    this.#retryLater(held, cause, failures.all);
    return true;
  }

  #retryLater(held: HeldMessage, error: AppError, failures: number): void {
    const { logger, observer, retry } = this.#deps;
    const delayMs = retryDelayMs(failures, retry);
    const facts = { err: error, messageId: held.key, failures, delayMs };
    logger.warn(facts, 'handling failed; retrying later');
    observer.retried?.({ code: error.code });
    retryLater(held, delayMs);
  }

  async #bury(held: HeldMessage, error: AppError): Promise<boolean> {
    const { deadLetter, logger, observer } = this.#deps;
    const { key, delivery } = held;
    const { message, payload } = delivery;
    const { code, message: reason } = error;
    try {
      await deadLetter({ id: key, message, payload, code, reason });
    } catch (failure) {
      logger.error({ err: failure, messageId: key }, 'cannot store a dead letter; retrying later');
      const { all } = this.#failures.add(key, false);
      retryLater(held, retryDelayMs(all, this.#deps.retry));
      return false;
    }
    this.#failures.forget(key);
    this.#reportOutcome(held, { outcome: 'dead', reason });
    observer.buried?.({ code });
    logger.error({ err: error, messageId: key }, 'message became a dead letter');
    return true;
  }
}

/** Queues a message's receipt. A message without an id gets none, because its sender could not match it. */
export function queueReceipt(
  receipts: ReceiptSender,
  { delivery: { id, source, message } }: Pick<HeldMessage, 'delivery'>,
  outcome: HandledOutcome,
): void {
  if (id === '') return;
  const isForService = message?.recipient?.target?.$case === 'service';
  const acceptedAt = message?.acceptedAt;
  receipts.add(source, { id, ...outcome, isForService, ...(acceptedAt ? { acceptedAt } : {}) });
}

function toReceived({ delivery }: HeldMessage): ReceivedMessage {
  const { message, traceparent, deliveries } = delivery;
  if (!message)
    throw new Error('unreachable: a message that cannot be decoded was not dead-lettered');
  return { message, traceparent, deliveries };
}

function heldOf({ held }: Planned): HeldMessage {
  return held;
}

function isTransient(error: unknown): boolean {
  return classifyFailure(toAppError(error).code) === 'transient';
}
