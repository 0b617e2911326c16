import type { LinkSubscription, NatsLink } from '@daycare/messaging';
import type { AgentAdvanced, AgentProgress, HistoryRecord } from '../../agents';

/**
 * A live event for an agent's watchers. Losing one is harmless, because everything permanent is in the
 * history.
 */
export type LiveEvent = AgentAdvanced | AgentProgress;

export interface LiveAgent {
  readonly agentId: string;
  /** The connector whose client receives the agent's records; undefined when no client does. */
  readonly feed?: string | undefined;
}

export type LiveListener = (event: LiveEvent) => void;

interface SharedSubscription {
  readonly subscription: LinkSubscription;
  readonly listeners: Set<(payload: unknown, subject: string) => void>;
}

/** Stands for the feed in the subjects of agents that have none; no connector has this name. */
const noFeed = '_';

/** A longer hint is sent without its records; watchers read them from the history. */
const maxHintCharacters = 65_536;

/**
 * Broadcasts hints to all replicas, such as what agents are doing and which inboxes have new items. Hints are sent
 * over core NATS and may get lost, so listeners also poll the database for whatever is stored there.
 */
export class LiveFeed {
  readonly #wakeListeners = new Map<number, (agentIds: readonly string[]) => void>();
  readonly #subscriptions = new Map<string, SharedSubscription>();

  constructor(
    private readonly connection: NatsLink,
    private readonly prefix: string,
    private readonly log?: { warn(fields: object, text: string): void },
  ) {}

  /** Whether hints can currently be sent and received; a disconnected client has no server information. */
  get isConnected(): boolean {
    return this.connection.info !== undefined;
  }

  /** Announces an agent's new records, which must already be stored. */
  publishRecords(agent: LiveAgent, records: readonly HistoryRecord[]): void {
    const lastSequence = records.at(-1)?.sequence ?? 0;
    const hint = JSON.stringify({ kind: 'advanced', lastSequence, records });
    // An unpaired surrogate, which JSON keeps as an escape but MongoDB replaces, would make the hint differ from the
    // stored record.
    const isExact = hint.length <= maxHintCharacters && !hint.includes('\\ud');
    if (isExact) this.#publishJson(subjectOf(agent), hint);
    else this.publishAgentEvent(agent, { kind: 'advanced', lastSequence, records: [] });
  }

  /** Announces that an agent has new records, is writing one, or has begun or ended a tool call. */
  publishAgentEvent(agent: LiveAgent, event: LiveEvent): void {
    this.#publish(subjectOf(agent), event);
  }

  /**
   * Passes the agent's live events to the listener. Every method that takes a listener returns a function that removes
   * it.
   */
  watchAgent(agentId: string, listener: LiveListener): () => void {
    return this.#subscribe(`live.*.${agentId}`, (event) => listener(toLiveEvent(event)));
  }

  /** Like `watchAgent`, but for every agent of a connector. */
  watchFeed(feed: string, listener: (agentId: string, event: LiveEvent) => void): () => void {
    return this.#subscribe(`live.${feed}.*`, (event, subject) =>
      listener(subject.slice(subject.lastIndexOf('.') + 1), toLiveEvent(event)),
    );
  }

  /** Announces that a permission request shown in a channel of the connector was created or has changed. */
  publishFeedPermission(feed: string): void {
    this.#publish(`feed-permissions.${feed}`, {});
  }

  watchFeedPermissions(feed: string, listener: () => void): () => void {
    return this.#subscribe(`feed-permissions.${feed}`, listener);
  }

  /** Announces that a permission request that the user may see was created or has changed. */
  publishPermissionChange(userId: string): void {
    this.#publish(`permissions.${userId}`, {});
  }

  watchPermissions(userId: string, listener: () => void): () => void {
    return this.#subscribe(`permissions.${userId}`, listener);
  }

  /** Announces that these agents of a shard have new items in their inboxes. */
  wake(shard: number, agentIds: readonly string[]): void {
    const listener = this.#wakeListeners.get(shard);
    if (listener) listener(agentIds);
    else this.#publish(`wake.${shard}`, agentIds);
  }

  /**
   * For this process's scheduler, while this replica serves the shard: calls of `wake` in this process then reach the
   * listener without NATS.
   */
  onWake(shard: number, listener: (agentIds: readonly string[]) => void): () => void {
    this.#wakeListeners.set(shard, listener);
    const unsubscribe = this.#subscribe(`wake.${shard}`, (ids) => listener(ids as string[]));
    return () => {
      if (this.#wakeListeners.get(shard) === listener) this.#wakeListeners.delete(shard);
      unsubscribe();
    };
  }

  /**
   * Announces that a stop, a reset or something else that may end the turns of these agents has been stored; the
   * replica that runs the agents reads it immediately.
   */
  interrupt(agentIds: readonly string[]): void {
    this.#publish('interrupts', agentIds);
  }

  onInterrupt(listener: (agentIds: readonly string[]) => void): () => void {
    return this.#subscribe('interrupts', (agentIds) => listener(agentIds as string[]));
  }

  /** Announces that this replica has released shards, which other replicas can now take. */
  announceRelease(): void {
    this.#publish('shards', {});
  }

  onRelease(listener: () => void): () => void {
    return this.#subscribe('shards', listener);
  }

  #publish(subject: string, payload: unknown): void {
    this.#publishJson(subject, JSON.stringify(payload));
  }

  #publishJson(subject: string, json: string): void {
    // The connection is closed or draining only while the process is shutting down.
    if (this.connection.isClosed() || this.connection.isDraining()) return;
    try {
      this.connection.publish(`${this.prefix}.${subject}`, json);
    } catch (error) {
      // Losing a hint is harmless, so its publisher must not fail.
      this.log?.warn({ err: error, subject }, 'publishing a hint failed; listeners will poll');
    }
  }

  /** All listeners on a subject share one subscription. */
  #subscribe(subject: string, listener: (payload: unknown, subject: string) => void): () => void {
    // The same function may be passed twice and must then be called twice.
    const distinctListener = (payload: unknown, receivedSubject: string): void =>
      listener(payload, receivedSubject);
    const shared = this.#subscriptions.get(subject) ?? this.#open(subject);
    shared.listeners.add(distinctListener);
    return () => {
      if (!shared.listeners.delete(distinctListener) || shared.listeners.size > 0) return;
      this.#subscriptions.delete(subject);
      shared.subscription.unsubscribe();
    };
  }

  #open(subject: string): SharedSubscription {
    const listeners = new Set<(payload: unknown, subject: string) => void>();
    const subscription = this.connection.subscribe(`${this.prefix}.${subject}`, {
      callback: (error, message) => {
        if (error) return;
        const payload: unknown = JSON.parse(message.string());
        for (const listener of [...listeners]) listener(payload, message.subject);
      },
    });
    const shared = { subscription, listeners };
    this.#subscriptions.set(subject, shared);
    return shared;
  }
}

function subjectOf({ agentId, feed = noFeed }: LiveAgent): string {
  return `live.${feed}.${agentId}`;
}

function toLiveEvent(payload: unknown): LiveEvent {
  const event = payload as LiveEvent;
  if (event.kind !== 'advanced') return event;
  const records = event.records.map((record) => ({
    ...record,
    recordedAt: new Date(record.recordedAt),
  }));
  return { ...event, records };
}
