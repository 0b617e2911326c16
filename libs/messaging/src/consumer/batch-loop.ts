import type { JsMsg } from 'nats';
import { backoffMs, Wakeup } from '@daycare/async';
import type { MessagingLogger } from '../shared/logger';
import type { BatchHandler } from './batch-handler';
import { queueReceipt, type BatchProcessor } from './batch-processor';
import { chooseBatch } from './choose-batch';
import { retryLater, type HeldBundle, type HeldMessage, type HeldMessages } from './held-messages';
import type { ReceiptSender } from './receipt-sender';

export interface BatchLoopDeps {
  readonly handler: BatchHandler;
  readonly held: HeldMessages;
  readonly processor: BatchProcessor;
  readonly receipts: ReceiptSender;
  readonly logger: MessagingLogger;
  readonly ackWaitMs: number;
  readonly maxHeldBundles: number;
}

const maxBatch = { messages: 256, bytes: 8 * 1024 * 1024, messagesStoredInPrepare: 64 };
const maxHeldBytes = 64 * 1024 * 1024;
/** The delays between searches of the database for missing predecessors. */
const searchBackoff = { firstMs: 20, maxMs: 1_000 };
/**
 * A message may have crashed the process if every held copy of it has been delivered more often than this; the message
 * is then processed alone.
 */
const maxDeliveriesTogether = 3;
/**
 * A bundle that may contain several messages is abandoned when it has been delivered more often than this; its sender
 * then publishes the messages one by one.
 */
const maxBundleDeliveries = 6;
/** While harmless messages keep arriving, every eighth batch consists of one suspicious message. */
const suspiciousEvery = 8;
/**
 * The delay before NATS redelivers a bundle that was returned because too many were held. It grows with the number of
 * deliveries, so that messages that wait a long time neither crowd out new ones nor reach the delivery limit.
 */
const handBackBackoff = { firstMs: 1_000, maxMs: 60_000 };
const idleMs = 60_000;

interface Candidates {
  readonly candidates: readonly HeldMessage[];
  readonly areSuspicious: boolean;
}

/**
 * Processes messages one batch at a time; messages that arrive in the meantime go into the next batch. Keeps messages
 * whose predecessors are missing until the predecessors have been handled, here or by another replica.
 */
export class BatchLoop {
  readonly #deps: BatchLoopDeps;
  readonly #arrived = new Wakeup();
  readonly #spaceFreed = new Wakeup();
  /** Runs only while messages are held: an idle consumer needs no timer. */
  #heartbeat: NodeJS.Timeout | undefined;
  readonly #loop: Promise<void>;
  #isStopping = false;
  /**
   * How many batches were chosen from harmless messages while suspicious ones were due; at `suspiciousEvery`, a
   * suspicious message is chosen and the count starts again from 0.
   */
  #passedOverBatches = 0;

  constructor(deps: BatchLoopDeps) {
    this.#deps = deps;
    this.#loop = this.#run();
  }

  /** Takes over a delivery; resolves when there is room for the next one. */
  async add(incoming: JsMsg): Promise<void> {
    if (this.#isStopping) return incoming.nak();
    const { held, receipts, ackWaitMs } = this.#deps;
    for (const [delivery, outcome] of held.add(incoming))
      queueReceipt(receipts, { delivery }, outcome);
    this.#heartbeat ??= setInterval(() => this.#preventRedelivery(), ackWaitMs / 3);
    this.#arrived.signal();
    while (this.#mustWait()) await this.#spaceFreed.sleep(idleMs);
  }

  /** Finishes the batch in progress and returns everything else to NATS, for other replicas. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#arrived.signal();
    this.#spaceFreed.signal();
    await this.#loop;
    this.#stopHeartbeat();
    const { held, receipts } = this.#deps;
    for (const bundle of [...held.bundles]) held.handBack(bundle);
    receipts.flush();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#abandonBundles();
      await this.#processNext();
      // Resends the receipts of messages that were redelivered although they had been handled.
      this.#deps.receipts.flush();
      if (this.#isFull()) this.#handBackWaiting();
      this.#spaceFreed.signal();
      const waitMs = this.#nextAttemptMs() - Date.now();
      if (waitMs > 0) await this.#arrived.sleep(Math.min(waitMs, idleMs));
    }
  }

  async #processNext(): Promise<void> {
    const { candidates, areSuspicious } = this.#takeCandidates();
    if (candidates.length === 0) return;
    const { handler, held, processor } = this.#deps;
    const handled = await this.#findHandled(candidates);
    const chosen = chooseBatch(candidates, {
      isHandled: (id) => held.isHandled(id) || handled.has(id),
      separatesPredecessors: areSuspicious || (handler.storesInPrepare ?? false),
    });
    for (const message of chosen.blocked) postpone(message);
    const batch = areSuspicious ? pickOne(chosen.batch) : chosen.batch;
    if (batch.length === 0) return;
    await processor.process(batch).catch((error: unknown) => this.#setAside(batch, error));
    held.unpark();
  }

  /**
   * Takes messages in the order of arrival: either harmless ones or suspicious ones, the latter when it is their turn
   * or nothing else is due. Only one suspicious message is then processed, chosen at random from those that are not
   * waiting for another message.
   */
  #takeCandidates(): Candidates {
    const { messages, messagesStoredInPrepare } = maxBatch;
    const limit = this.#deps.handler.storesInPrepare ? messagesStoredInPrepare : messages;
    const due = [...this.#deps.held.values()].filter(({ retryAtMs }) => retryAtMs <= Date.now());
    const harmless = due.filter((message) => !isSuspicious(message));
    const suspicious = due.filter(isSuspicious);
    const areSuspicious = harmless.length === 0 || this.#isSuspiciousTurn(suspicious);
    let bytes = 0;
    const candidates = (areSuspicious ? suspicious : harmless)
      .slice(0, limit)
      .filter(
        ({ delivery }, index) =>
          (bytes += delivery.payload.byteLength) <= maxBatch.bytes || index === 0,
      );
    return { candidates, areSuspicious };
  }

  #isSuspiciousTurn(suspicious: readonly HeldMessage[]): boolean {
    if (suspicious.length === 0) return false;
    this.#passedOverBatches = (this.#passedOverBatches + 1) % suspiciousEvery;
    return this.#passedOverBatches === 0;
  }

  /** Looks up all predecessors that are unknown to this process, in one call. */
  async #findHandled(candidates: readonly HeldMessage[]): Promise<ReadonlySet<string>> {
    const { handler, held, logger } = this.#deps;
    const missing = candidates.flatMap(({ predecessors, delivery }) =>
      predecessors
        .filter((id) => !held.isHandled(id) && !held.get(id))
        .map((id) => ({ id, userId: delivery.message?.recipient?.userId ?? '' })),
    );
    if (missing.length === 0) return new Set();
    try {
      return await handler.findHandled(missing);
    } catch (error) {
      logger.warn({ err: error }, 'looking up predecessors failed; retrying');
      return new Set();
    }
  }

  /** Retries the batch later, because a bug in the handler must not end the loop. */
  #setAside(batch: readonly HeldMessage[], error: unknown): void {
    this.#deps.logger.error({ err: error }, 'processing a batch failed; retrying');
    for (const message of batch) retryLater(message, searchBackoff.maxMs);
  }

  #nextAttemptMs(): number {
    let next = Infinity;
    for (const { retryAtMs } of this.#deps.held.values()) next = Math.min(next, retryAtMs);
    return next;
  }

  /** Prevents NATS from redelivering what is being processed or waiting. */
  #preventRedelivery(): void {
    const { bundles } = this.#deps.held;
    for (const { incoming } of bundles) incoming.working();
    if (bundles.size === 0) this.#stopHeartbeat();
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #abandonBundles(): void {
    const { held, logger } = this.#deps;
    for (const bundle of [...held.bundles]) {
      const { deliveries } = bundle;
      if (deliveries <= maxBundleDeliveries || !mayHaveSeveralMessages(bundle)) continue;
      logger.warn({ deliveries }, 'bundle abandoned; its messages will be published one by one');
      held.abandon(bundle, (incoming) => incoming.term());
    }
  }

  #mustWait(): boolean {
    return !this.#isStopping && this.#isFull();
  }

  #isFull(): boolean {
    const { held, maxHeldBundles } = this.#deps;
    return held.bundles.size >= maxHeldBundles || held.bytes >= maxHeldBytes;
  }

  /** Returns to NATS those bundles whose remaining messages are all waiting for a retry or a predecessor. */
  #handBackWaiting(): void {
    const { held } = this.#deps;
    const now = Date.now();
    const isWaiting = (key: string): boolean => (held.get(key)?.retryAtMs ?? 0) > now;
    for (const bundle of [...held.bundles])
      if ([...bundle.openKeys].every(isWaiting))
        held.handBack(bundle, backoffMs(bundle.incoming.info.deliveryCount, handBackBackoff));
  }
}

function pickOne(messages: readonly HeldMessage[]): readonly HeldMessage[] {
  const chosen = Math.floor(Math.random() * messages.length);
  return messages.slice(chosen, chosen + 1);
}

function postpone(message: HeldMessage): void {
  message.postponements += 1;
  message.retryAtMs = Date.now() + backoffMs(message.postponements, searchBackoff);
}

function isSuspicious({ bundles }: HeldMessage): boolean {
  return bundles.every(({ deliveries }) => deliveries > maxDeliveriesTogether);
}

/** Only a bundle of a single message that is published under its own id has the header. */
function mayHaveSeveralMessages({ incoming, openKeys }: HeldBundle): boolean {
  return openKeys.size > 1 || !incoming.headers?.has('Nats-Msg-Id');
}
