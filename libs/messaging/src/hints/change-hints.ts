import { withTimeout } from '@daycare/async';
import { ConnectionWatch } from '../nats/connection-watch';
import type { NatsLink } from '../nats/nats-link';

type Listener = () => void;

/** A user's changes within this time become one hint. */
const gatherMs = 5;
/** A server that is not responding must not block a watcher. */
const maxWaitMs = 1_000;

/**
 * Sends and receives hints, each of which says that something a certain user can see may have changed. Hints travel
 * over plain NATS, have no content and may get lost, so watchers also poll.
 */
export class ChangeHints {
  readonly #gathered = new Set<string>();
  readonly #listeners = new Set<Listener>();
  #reconnects: ConnectionWatch | undefined;

  constructor(
    private readonly connection: NatsLink,
    private readonly prefix: string,
  ) {}

  /** Call it after the change is stored. Undefined ids are ignored. */
  publish(userIds: readonly (string | undefined)[]): void {
    const definedIds = userIds.filter((userId) => userId !== undefined);
    if (definedIds.length === 0) return;
    if (this.#gathered.size === 0) setTimeout(() => this.#send(), gatherMs).unref();
    for (const userId of definedIds) this.#gathered.add(userId);
  }

  /**
   * Announces that a subuser's gateway agent was created, so that the service that knows whom the subuser is shared
   * with can send those users a hint.
   */
  publishGatewayCreated(subuserId: string): void {
    this.#publish(`${this.prefix}.gateway.${subuserId}`);
  }

  /** Calls back for each new gateway agent, on one replica in each group. */
  onGatewayCreated(group: string, listener: (subuserId: string) => void): void {
    this.connection.subscribe(`${this.prefix}.gateway.*`, {
      queue: group,
      callback: (error, { subject }) =>
        error ?? listener(subject.slice(subject.lastIndexOf('.') + 1)),
    });
  }

  /**
   * Calls back on every hint for the user, and when hints may have been lost because NATS was down. Resolves once the
   * subscription is active or NATS turns out to be unreachable, with a function that ends the watch.
   */
  async watch(userId: string, listener: Listener): Promise<() => void> {
    this.#reconnects ??= new ConnectionWatch(this.connection, {
      onReconnect: () => this.#listeners.forEach((notify) => notify()),
    });
    // A new function for each watch, so that the same listener can be registered twice.
    const callback = (): void => listener();
    this.#listeners.add(callback);
    const subscription = this.connection.subscribe(this.#subjectOf(userId), { callback });
    await this.#waitForServer();
    return () => {
      this.#listeners.delete(callback);
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

  /**
   * Resolves once the server has the new subscription or has not responded in time; immediately if the connection is
   * down.
   */
  async #waitForServer(): Promise<void> {
    if (!this.#reconnects?.isUp) return;
    await withTimeout(this.connection.flush(), maxWaitMs).catch(() => undefined);
  }

  #subjectOf(userId: string): string {
    return `${this.prefix}.changed.${userId}`;
  }
}
