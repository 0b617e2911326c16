import { withTimeout } from '@daycare/async';
import type { MessageGroup } from '@daycare/contracts/message-routes';
import { bytesOf, firstBundle, type Bundle } from './bundles';
import type { OutgoingMessage } from '../rows/message-source';

export interface GroupQueueDeps {
  readonly group: MessageGroup;
  /** Resolves with whether NATS has the bundle. Must not reject. */
  readonly publish: (bundle: Bundle) => Promise<boolean>;
  /** Resolves with those of the given ids whose messages have no receipt yet. */
  readonly findOpen: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /**
   * How long `findOpen` may take. Messages whose state is still unknown by then are published, and the others that
   * waited during the same outage are not looked up.
   */
  readonly lookUpTimeoutMs: number;
  readonly retryDelayMs: () => number;
  /** Called with messages that NATS has received, or that turned out to be no longer open. */
  readonly onPublished: (messages: readonly OutgoingMessage[]) => void;
  readonly maxBytes: number;
}

/** While this many bundles are in flight, further messages wait and share the next bundle. */
const maxInFlight = 4;
/**
 * After this many failed attempts, NATS may be refusing this bundle in particular. Its messages are then left to the
 * reconciliation, which publishes them one by one.
 */
const maxAttempts = 40;

interface BundleAttempt {
  readonly bundle: Bundle;
  /** The number of the bundle, in the order in which the group's bundles were made. */
  readonly position: number;
  readonly attempts: number;
  /** Whether its messages waited during an outage, so that they may have been settled in the meantime. */
  readonly isSuspect: boolean;
}

/**
 * Publishes the messages of a group from memory, in their order. While NATS does not accept them, they wait,
 * and new ones wait behind them: otherwise the new ones would arrive before their predecessors, and consumers
 * would have to hold them back. A bundle that is retried keeps its id, so that NATS refuses a copy of one that
 * it already has. Another replica may have settled or ended a message that waited during an outage, so such a
 * message is published only if it is still open.
 */
export class GroupQueue {
  readonly #deps: GroupQueueDeps;
  #waiting: OutgoingMessage[] = [];
  /** Bundles that NATS did not accept; they come first. */
  readonly #failed: BundleAttempt[] = [];
  readonly #ids = new Set<string>();
  #bytes = 0;
  #bundleCount = 0;
  #inFlight = 0;
  #retry: NodeJS.Timeout | undefined;
  #isFailing = false;
  /** How many messages have been added so far, and how many of them are no longer in `#waiting`. */
  #added = 0;
  #taken = 0;
  /** The value of `#added` when the last outage ended: messages added before that are suspect. */
  #addedInOutage = 0;
  /**
   * Set when a look-up has failed, so that the other messages that waited during the outage do not wait for look-ups
   * that would probably fail, too. Reset once these messages have been taken, or when the connection is lost.
   */
  #isLookUpDown = false;
  /** The last check of whether messages are still open; checks run one after the other. */
  #lastCheck: Promise<unknown> = Promise.resolve();
  #pendingChecks = 0;
  #isPaused = false;
  #isStopping = false;

  constructor(deps: GroupQueueDeps) {
    this.#deps = deps;
  }

  /** Reports whether a message is waiting here or being published. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Adds nothing if the messages would exceed `maxBytes`: the reconciliation finds them in the database. */
  add(messages: readonly OutgoingMessage[]): void {
    const bytes = sizeOf(messages);
    if (this.#bytes + bytes > this.#deps.maxBytes) return;
    this.#bytes += bytes;
    for (const message of messages) {
      this.#ids.add(message.id);
      this.#waiting.push(message);
    }
    this.#added += messages.length;
    this.#pump();
  }

  /** Call it when the connection is lost: nothing is tried before `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#isLookUpDown = false;
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** Tries again immediately. */
  resume(): void {
    this.#isPaused = false;
    this.#addedInOutage = this.#added;
    this.#retryNow();
  }

  /**
   * From now on nothing is retried: waiting messages get one attempt, and failed ones are left to the reconciliation.
   */
  stop(): void {
    this.#isStopping = true;
    for (const { bundle } of this.#failed.splice(0)) this.#forget(bundle);
    this.#retryNow();
  }

  /** After a failure, a single bundle probes whether NATS accepts messages again. */
  #pump(): void {
    while (this.#mayPublish()) void this.#publish(this.#next());
  }

  #mayPublish(): boolean {
    if (this.#isPaused || this.#retry !== undefined) return false;
    if (this.#failed.length === 0 && this.#waiting.length === 0) return false;
    return this.#inFlight < (this.#isFailing ? 1 : maxInFlight);
  }

  #next(): BundleAttempt {
    const failed = this.#failed.shift();
    if (failed) return failed;
    const bundle = firstBundle(this.#deps.group, this.#waiting);
    this.#waiting = this.#waiting.slice(bundle.messages.length);
    const isSuspect = this.#isFailing || this.#taken < this.#addedInOutage;
    if (!isSuspect) this.#isLookUpDown = false;
    this.#taken += bundle.messages.length;
    return { bundle, attempts: 0, position: (this.#bundleCount += 1), isSuspect };
  }

  async #publish({ bundle, attempts, position, isSuspect }: BundleAttempt): Promise<void> {
    this.#inFlight += 1;
    // While a bundle is being looked up, later ones wait behind it.
    const mustCheck = isSuspect && !this.#isStopping;
    const isChecked = mustCheck || this.#pendingChecks > 0;
    const openBundle = isChecked ? await this.#keepOpen(bundle, mustCheck) : bundle;
    const isEmpty = openBundle.messages.length === 0;
    const publishing = isEmpty ? true : this.#deps.publish(openBundle);
    // Counted down only after the call to `publish`, so that no bundle added in the meantime overtakes this one.
    if (isChecked) this.#pendingChecks -= 1;
    const isPublished = await publishing;
    this.#inFlight -= 1;
    if (this.#isFailing || !isPublished) this.#addedInOutage = this.#added;
    if (!isEmpty) this.#isFailing = !isPublished;
    if (isPublished) this.#deps.onPublished(bundle.messages);
    if (isPublished || this.#isStopping || attempts + 1 === maxAttempts) this.#forget(bundle);
    else this.#keepFailed({ bundle, attempts: attempts + 1, position, isSuspect: true });
    if (!isPublished) this.#retryLater();
    this.#pump();
  }

  /**
   * Returns the bundle without messages that are no longer open. Checks run one after the other, so that bundles
   * stay in order.
   */
  async #keepOpen(bundle: Bundle, isSuspect: boolean): Promise<Bundle> {
    this.#pendingChecks += 1;
    const ids = bundle.messages.map(({ id }) => id);
    const check = this.#lastCheck.then(() => (isSuspect ? this.#findOpen(ids) : new Set(ids)));
    this.#lastCheck = check;
    const open = await check;
    const messages = bundle.messages.filter(({ id }) => open.has(id));
    return messages.length === bundle.messages.length ? bundle : { ...bundle, messages };
  }

  /**
   * If the look-up fails, treats all messages as open: publishing them is safe, because consumers check messages, too.
   */
  async #findOpen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { findOpen, lookUpTimeoutMs } = this.#deps;
    if (this.#isLookUpDown) return new Set(ids);
    return withTimeout(findOpen(ids), lookUpTimeoutMs).catch(() => {
      this.#isLookUpDown = true;
      return new Set(ids);
    });
  }

  /** Inserts the bundle at its position, so that the next attempt begins with the oldest. */
  #keepFailed(failed: BundleAttempt): void {
    const nextIndex = this.#failed.findIndex(({ position }) => position > failed.position);
    this.#failed.splice(nextIndex === -1 ? this.#failed.length : nextIndex, 0, failed);
  }

  #forget({ messages }: Bundle): void {
    for (const { id } of messages) this.#ids.delete(id);
    this.#bytes -= sizeOf(messages);
  }

  #retryLater(): void {
    if (this.#isPaused || this.#isStopping) return;
    this.#retry ??= setTimeout(() => this.#retryNow(), this.#deps.retryDelayMs()).unref();
  }

  #retryNow(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#pump();
  }
}

function sizeOf(messages: readonly OutgoingMessage[]): number {
  return messages.reduce((sum, message) => sum + bytesOf(message), 0);
}
