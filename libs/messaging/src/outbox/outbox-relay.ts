import type { MessageGroup } from '@daycare/contracts/message-routes';
import { Semaphore, Wakeup } from '@daycare/async';
import type { DatabaseClock } from '@daycare/mongo';
import { ConnectionWatch } from '../nats/connection-watch';
import type { NatsLink } from '../nats/nats-link';
import type { MessagingLogger } from '../shared/logger';
import { singleBundle, byGroup, type Bundle } from './queue/bundles';
import { groupOf } from '../nats/system-stream';
import { GroupQueue } from './queue/group-queue';
import type { MessageSource, OutgoingMessage } from './rows/message-source';
import type { OutboxPublisher } from './outbox-publisher';
import { RecentIds } from './queue/recent-ids';

export interface RelayDeps {
  readonly connection: NatsLink;
  readonly sources: readonly MessageSource[];
  readonly publisher: OutboxPublisher;
  readonly logger: MessagingLogger;
  /** Decides when messages are due. */
  readonly clock: DatabaseClock;
  readonly pollMs: number;
  /** How many due messages may be in flight to NATS at the same time. */
  readonly maxInFlight: number;
  /** How long this relay skips a due message after publishing it from memory. */
  readonly skipRecentMs: number;
}

const never = new Date(0);
/** The pause between two passes if messages stay due although they were published. */
const minPauseMs = 100;
/** The pause after a failed read, when it is not known what is due. */
const retryReadMs = 1_000;
/**
 * Messages of a group beyond this size do not wait in memory for NATS; the reconciliation, which searches the database,
 * publishes them later.
 */
const maxPendingBytes = 32 * 1024 * 1024;
/**
 * Messages whose state cannot be looked up within this time are published anyway: consumers check them, too.
 */
const lookUpTimeoutMs = 5_000;

/**
 * Publishes messages from memory when they have just been accepted, and finds those that did not get a receipt in
 * time: after crashes, lost receipts and lost connections. Any number of relays may run.
 */
export class OutboxRelay {
  readonly #deps: RelayDeps;
  readonly #watch: ConnectionWatch;
  readonly #slots: Semaphore;
  readonly #pollSignal = new Wakeup();
  readonly #loop: Promise<void>;
  #republishBefore = never;
  /** When the first message that this relay could not publish is due. */
  #retryAtMs = Infinity;
  /** When the next message without a receipt is due. */
  #dueAtMs = Infinity;
  readonly #queues = new Map<MessageGroup, GroupQueue>();
  /**
   * The ids published from memory since all messages became due again; the reconciliation skips them.
   */
  readonly #publishedSinceAllDue = new Set<string>();
  /**
   * The ids published from memory a moment ago. Messages that had waited for NATS may already be due, but are
   * not published again.
   */
  readonly #justPublished: RecentIds;
  #canRead = true;
  #isStopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#slots = new Semaphore(deps.maxInFlight);
    this.#justPublished = new RecentIds(deps.skipRecentMs);
    this.#watch = new ConnectionWatch(deps.connection, {
      onLost: () => this.#pause(),
      onReconnect: () => this.#resume(),
    });
    // A stream that lost its leader may have lost messages as well.
    deps.publisher.onResumed(() => (this.#watch.isUp ? this.#resume() : this.#makeAllDue()));
    this.#loop = this.#run();
  }

  /** Publishes messages whose rows already count this publication, as soon as NATS accepts them. */
  publish(messages: readonly OutgoingMessage[]): void {
    for (const [group, groupMessages] of byGroup(messages.filter(mayBePublished)))
      this.#queueOf(group).add(groupMessages);
  }

  /** Polls for due messages immediately; call it after a commit that stored some. */
  wake(): void {
    this.#pollSignal.signal();
  }

  /** Ends the reconciliation; messages that are accepted until the connection closes are still published. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#pollSignal.signal();
    for (const queue of this.#queues.values()) queue.stop();
    await this.#loop;
    await this.#slots.idle();
  }

  #queueOf(group: MessageGroup): GroupQueue {
    const existing = this.#queues.get(group);
    if (existing) return existing;
    const { publisher } = this.#deps;
    const queue = new GroupQueue({
      group,
      publish: (bundle) => publisher.publish(bundle),
      findOpen: (ids) => this.#findOpen(ids),
      lookUpTimeoutMs,
      retryDelayMs: () => publisher.retryDelayMs(group),
      onPublished: (messages) => this.#notePublished(messages),
      maxBytes: maxPendingBytes,
    });
    if (!this.#watch.isUp) queue.pause();
    if (this.#isStopping) queue.stop();
    this.#queues.set(group, queue);
    return queue;
  }

  #notePublished(messages: readonly OutgoingMessage[]): void {
    const ids = messages.map(({ id }) => id);
    this.#justPublished.add(ids);
    if (this.#republishBefore > never) for (const id of ids) this.#publishedSinceAllDue.add(id);
  }

  #pause(): void {
    for (const queue of this.#queues.values()) queue.pause();
    this.#deps.publisher.failPending();
  }

  #resume(): void {
    this.#makeAllDue();
    for (const queue of this.#queues.values()) queue.resume();
  }

  /**
   * Makes everything without a receipt due again, because servers may have lost messages, and receipts may have
   * been lost.
   */
  #makeAllDue(): void {
    if (this.#isStopping) return;
    this.#republishBefore = this.#deps.clock.now();
    // What was published after an earlier loss may have been lost now.
    this.#publishedSinceAllDue.clear();
    this.#justPublished.clear();
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
    const republishBefore = this.#republishBefore;
    try {
      await this.#deps.clock.sync();
      for (const source of this.#deps.sources) {
        const dueAt = await this.#reconcileSource(source);
        if (dueAt) this.#dueAtMs = Math.min(this.#dueAtMs, this.#toProcessMs(dueAt));
      }
      // If `#republishBefore` has changed, all messages became due again during this pass.
      if (this.#republishBefore === republishBefore) {
        this.#republishBefore = never;
        this.#publishedSinceAllDue.clear();
      }
      this.#canRead = true;
    } catch (error) {
      if (this.#canRead) this.#deps.logger.warn({ err: error }, 'cannot read the outbox; retrying');
      this.#canRead = false;
      this.#dueAtMs = Date.now() + retryReadMs;
    }
  }

  /**
   * Publishes what is due, and returns the time at which the next message is due. Most passes only read that
   * time.
   */
  async #reconcileSource(source: MessageSource): Promise<Date | undefined> {
    const dueAt = await source.nextDueAt();
    const isDue =
      this.#republishBefore > never || (dueAt !== undefined && dueAt <= this.#deps.clock.now());
    if (!isDue) return dueAt;
    await this.#republishDue(source);
    return source.nextDueAt();
  }

  async #republishDue(source: MessageSource): Promise<void> {
    // A page that is not full is not necessarily the last: another relay may have claimed the rest of it.
    let hasClaimed = true;
    while (hasClaimed && !this.#isStopping && this.#watch.isUp) {
      const now = this.#deps.clock.now();
      // The clock may have been set back after `#republishBefore` was set: a row that was just claimed must not be due
      // again.
      const republishBefore = this.#republishBefore < now ? this.#republishBefore : now;
      const due = { now, republishBefore };
      const messages = await source.claimDue(due, this.#deps.maxInFlight);
      hasClaimed = messages.length > 0;
      await this.#republish(source, await this.#withOpenPredecessors(messages));
    }
  }

  /** Drops the predecessors that are not open: they have been handled or have ended, or no source knows them. */
  async #withOpenPredecessors(
    messages: readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]> {
    const named = [...new Set(messages.flatMap(({ predecessors }) => predecessors))];
    if (named.length === 0) return messages;
    const open = await this.#findOpen(named);
    return messages.map((message) => ({
      ...message,
      predecessors: message.predecessors.filter((id) => open.has(id)),
    }));
  }

  async #findOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    for (const source of this.#deps.sources) {
      const ownedIds = ids.filter((id) => source.owns(id));
      if (ownedIds.length > 0) for (const id of await source.findOpen(ownedIds)) open.add(id);
    }
    return open;
  }

  /** Publishes messages one by one, each under its own id: NATS then refuses copies of what it still has. */
  async #republish(source: MessageSource, messages: readonly OutgoingMessage[]): Promise<void> {
    for (const message of messages) {
      if (!mayBePublished(message) || this.#isPublishedFromMemory(message)) continue;
      await this.#slots.acquire();
      void this.#publishAlone(source, singleBundle(message)).finally(() => this.#slots.release());
    }
  }

  #isPublishedFromMemory(message: OutgoingMessage): boolean {
    const { id } = message;
    return (
      this.#publishedSinceAllDue.has(id) ||
      this.#justPublished.has(id) ||
      (this.#queues.get(groupOf(message))?.has(id) ?? false)
    );
  }

  async #publishAlone(source: MessageSource, bundle: Bundle): Promise<void> {
    // Without a connection the publication would only time out.
    const isPublished = this.#watch.isUp && (await this.#deps.publisher.publish(bundle));
    if (!isPublished) await this.#release(source, bundle);
  }

  async #release(source: MessageSource, { id, group }: Bundle): Promise<void> {
    const { publisher, logger } = this.#deps;
    const retryAt = new Date(this.#deps.clock.now().getTime() + publisher.retryDelayMs(group));
    try {
      await source.release([id], retryAt);
      this.#ensurePassAt(this.#toProcessMs(retryAt));
    } catch (error) {
      logger.warn(
        { err: error },
        'cannot set the time of the next publishing attempt; the messages will be published later',
      );
    }
  }

  /** Converts a time by the database's clock to one by the clock of this process. */
  #toProcessMs(at: Date): number {
    return Date.now() + at.getTime() - this.#deps.clock.now().getTime();
  }

  /** Makes sure that a pass begins at this time, because the next poll may come much later. */
  #ensurePassAt(atMs: number): void {
    if (atMs >= this.#retryAtMs) return;
    this.#retryAtMs = atMs;
    this.#pollSignal.signal();
  }
}

/** Services do not remember ids, so they get the messages of a lane one at a time, each without predecessors. */
function mayBePublished({ recipientService, predecessors }: OutgoingMessage): boolean {
  return recipientService === undefined || predecessors.length === 0;
}
