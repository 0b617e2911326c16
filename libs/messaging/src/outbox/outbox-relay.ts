import { Semaphore, Wakeup } from '@daycare/async';
import { ConnectionWatch } from '../nats/connection-watch';
import type { NatsLink } from '../nats/nats-link';
import { groupOf } from '../nats/system-stream';
import type { MessagingLogger } from '../shared/logger';
import { bytesOf, toBundles, type Bundle } from './bundles';
import type { MessageSource, OutgoingMessage } from './message-source';
import type { OutboxPublisher } from './outbox-publisher';

export interface RelayDeps {
  readonly connection: NatsLink;
  readonly sources: readonly MessageSource[];
  readonly publisher: OutboxPublisher;
  readonly logger: MessagingLogger;
  readonly pollMs: number;
  readonly maxInFlight: number;
}

const never = new Date(0);
/** Between two passes, should messages stay due although they were published. */
const minPauseMs = 100;
/** After a failed read, when it is not known what is due. */
const retryReadMs = 1_000;
/** More than this is left to the reconciliation instead of waiting in memory for NATS. */
const maxPendingBytes = 64 * 1024 * 1024;

/**
 * Publishes messages from memory when they were just accepted, and finds those that have no receipt in
 * time: after crashes, lost receipts and lost connections. Any number of relays may run.
 */
export class OutboxRelay {
  readonly #deps: RelayDeps;
  readonly #watch: ConnectionWatch;
  readonly #slots: Semaphore;
  readonly #pollSignal = new Wakeup();
  readonly #loop: Promise<void>;
  #republishBefore = never;
  /** When the first message is due that this relay could not publish. */
  #retryAtMs = Infinity;
  /** When the first message is due of those that were found without a receipt. */
  #dueAtMs = Infinity;
  #pendingBytes = 0;
  #isReading = true;
  #isStopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#slots = new Semaphore(deps.maxInFlight);
    this.#watch = new ConnectionWatch(deps.connection, {
      onLost: () => deps.publisher.failPending(),
      onReconnect: () => this.#startOver(),
    });
    // A stream whose leader was lost may have lost deliveries as well.
    deps.publisher.onResumed(() => this.#startOver());
    this.#loop = this.#run();
  }

  /** Publishes messages that were stored as published; a failure makes them due soon. */
  publish(messages: readonly OutgoingMessage[]): void {
    if (!this.#watch.isUp) return;
    for (const bundle of toBundles(messages.filter(mayBePublished))) void this.#send(bundle);
  }

  /** Looks for due messages immediately; to be called after a commit that made some. */
  wake(): void {
    this.#pollSignal.signal();
  }

  /** Ends the reconciliation; messages that are accepted until the connection closes are still published. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#pollSignal.signal();
    await this.#loop;
    await this.#slots.idle();
  }

  /** The servers may have lost messages, and receipts may have been lost. */
  #startOver(): void {
    if (this.#isStopping) return;
    this.#republishBefore = new Date();
    this.#pollSignal.signal();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#pass();
      const untilRetryMs = Math.max(0, this.#retryAtMs - Date.now());
      const untilDueMs = Math.max(minPauseMs, this.#dueAtMs - Date.now());
      await this.#pollSignal.sleep(Math.min(this.#deps.pollMs, untilRetryMs, untilDueMs));
    }
  }

  async #pass(): Promise<void> {
    if (this.#retryAtMs <= Date.now()) this.#retryAtMs = Infinity;
    this.#dueAtMs = Infinity;
    if (!this.#watch.isUp) return;
    const startedOver = this.#republishBefore;
    try {
      for (const source of this.#deps.sources) {
        const dueAt = await this.#passSource(source);
        if (dueAt) this.#dueAtMs = Math.min(this.#dueAtMs, dueAt.getTime());
      }
      if (this.#republishBefore === startedOver) this.#republishBefore = never;
      this.#isReading = true;
    } catch (error) {
      if (this.#isReading)
        this.#deps.logger.warn({ err: error }, 'cannot read the outbox; retrying');
      this.#isReading = false;
      this.#dueAtMs = Date.now() + retryReadMs;
    }
  }

  /** Publishes what is due; returns when the next message will be. Most passes only find that time. */
  async #passSource(source: MessageSource): Promise<Date | undefined> {
    const dueAt = await source.nextDueAt();
    const isDue = this.#republishBefore > never || (dueAt !== undefined && dueAt <= new Date());
    if (!isDue) return dueAt;
    await this.#republishDue(source);
    return source.nextDueAt();
  }

  async #republishDue(source: MessageSource): Promise<void> {
    // A page that is not full is not necessarily the last: another relay may have claimed the rest of it.
    let hasClaimed = true;
    while (hasClaimed && !this.#isStopping && this.#watch.isUp) {
      const due = { now: new Date(), republishBefore: this.#republishBefore };
      const messages = await source.claimDue(due, this.#deps.maxInFlight);
      hasClaimed = messages.length > 0;
      await this.#republish(source, await this.#withOpenPredecessors(messages));
    }
  }

  /** Those with a receipt are handled; there is no need to wait for them, nor for any that never existed. */
  async #withOpenPredecessors(
    messages: readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]> {
    const named = [...new Set(messages.flatMap(({ predecessors }) => predecessors))];
    if (named.length === 0) return messages;
    const open = new Set<string>();
    for (const source of this.#deps.sources) {
      const own = named.filter((id) => source.owns(id));
      if (own.length > 0) for (const id of await source.findOpen(own)) open.add(id);
    }
    return messages.map((message) => ({
      ...message,
      predecessors: message.predecessors.filter((id) => open.has(id)),
    }));
  }

  /** One by one, each under its own id: NATS then refuses copies of what it still has. */
  async #republish(source: MessageSource, messages: readonly OutgoingMessage[]): Promise<void> {
    for (const message of messages.filter(mayBePublished)) {
      await this.#slots.acquire();
      const bundle = { group: groupOf(message), messages: [message] };
      void this.#publishAlone(source, bundle, message.id).finally(() => this.#slots.release());
    }
  }

  async #publishAlone(source: MessageSource, bundle: Bundle, id: string): Promise<void> {
    // Without a connection the publication would only time out.
    const isPublished = this.#watch.isUp && (await this.#deps.publisher.publish(bundle, id));
    if (!isPublished) await this.#release(source, [id], bundle);
  }

  async #send(bundle: Bundle): Promise<void> {
    const bytes = bundle.messages.reduce((sum, message) => sum + bytesOf(message), 0);
    if (this.#pendingBytes + bytes > maxPendingBytes) return;
    this.#pendingBytes += bytes;
    const isPublished = await this.#deps.publisher.publish(bundle);
    this.#pendingBytes -= bytes;
    // After a lost connection everything is published again anyway.
    if (isPublished || !this.#watch.isUp) return;
    const ids = bundle.messages.map(({ id }) => id);
    for (const source of this.#deps.sources) {
      const own = ids.filter((id) => source.owns(id));
      if (own.length > 0) await this.#release(source, own, bundle);
    }
  }

  async #release(source: MessageSource, ids: readonly string[], { group }: Bundle): Promise<void> {
    const { publisher, logger } = this.#deps;
    const retryAtMs = Date.now() + publisher.retryDelayMs(group);
    try {
      await source.release(ids, new Date(retryAtMs));
      this.#retrySoon(retryAtMs);
    } catch (error) {
      logger.warn({ err: error }, 'cannot release messages; they will be published later');
    }
  }

  /** The next poll may come much later. */
  #retrySoon(atMs: number): void {
    if (atMs >= this.#retryAtMs) return;
    this.#retryAtMs = atMs;
    this.#pollSignal.signal();
  }
}

/** A service does not remember ids, so it gets the messages of a lane one at a time. */
function mayBePublished({ recipientService, predecessors }: OutgoingMessage): boolean {
  return recipientService === undefined || predecessors.length === 0;
}
