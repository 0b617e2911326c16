import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { ConnectionWatch } from './connection-watch';

type Listener = () => void;

/** Changes that one call makes in quick succession are one hint. */
const gatherMs = 5;
/** A server that does not answer must not keep a watcher waiting. */
const mostWaitMs = 1_000;

/**
 * Tells all services that something a user can see may have changed: hints over plain NATS that carry
 * nothing and may get lost, so whoever watches also looks by itself now and then.
 */
export class ChangeHints {
  readonly #gathered = new Set<string>();
  readonly #listeners = new Set<Listener>();
  #reconnects: ConnectionWatch | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly prefix: string,
  ) {}

  /** To be called after the change is stored. Undefined users are nobody. */
  tell(userIds: readonly (string | undefined)[]): void {
    const told = userIds.filter((userId) => userId !== undefined);
    if (told.length === 0) return;
    if (this.#gathered.size === 0) setTimeout(() => this.#send(), gatherMs).unref();
    for (const userId of told) this.#gathered.add(userId);
  }

  /** The gateway of a subuser was made: whoever knows with whom it is shared hints them. */
  tellOfGateway(subuserId: string): void {
    this.#publish(`${this.prefix}.gateway.${subuserId}`);
  }

  /** Calls back for each gateway that is told of; of the replicas in a group, one is called. */
  hearOfGateways(group: string, listener: (subuserId: string) => void): void {
    this.connection.subscribe(`${this.prefix}.gateway.*`, {
      queue: group,
      callback: (error, { subject }) =>
        error ?? listener(subject.slice(subject.lastIndexOf('.') + 1)),
    });
  }

  /**
   * Calls back when there is a hint, and when hints may have been lost because NATS was away. Resolves
   * with how to stop, once hints are sure to come or NATS is out of reach.
   */
  async watch(userId: string, listener: Listener): Promise<() => void> {
    this.#reconnects ??= new ConnectionWatch(this.connection, {
      onReconnect: () => this.#listeners.forEach((each) => each()),
    });
    // Each watch is its own, also when the same function listens twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    const subscription = this.connection.subscribe(this.#subjectOf(userId), { callback: own });
    await this.#settle();
    return () => {
      this.#listeners.delete(own);
      subscription.unsubscribe();
    };
  }

  #send(): void {
    const userIds = [...this.#gathered];
    this.#gathered.clear();
    for (const userId of userIds) this.#publish(this.#subjectOf(userId));
  }

  #publish(subject: string): void {
    // A closed or draining connection belongs to a process that is about to end.
    if (this.connection.isClosed() || this.connection.isDraining()) return;
    this.connection.publish(subject);
  }

  /** Until the server knows of the subscription. */
  async #settle(): Promise<void> {
    if (!this.#reconnects?.isUp) return;
    const over = new AbortController();
    await Promise.race([
      this.connection.flush().catch(() => undefined),
      delay(mostWaitMs, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
    over.abort();
  }

  #subjectOf(userId: string): string {
    return `${this.prefix}.changed.${userId}`;
  }
}
