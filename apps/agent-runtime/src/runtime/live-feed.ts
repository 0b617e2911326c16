import type { NatsConnection, Subscription } from 'nats';

/** What those who watch an agent are told at once. Losing it is harmless: everything that lasts is in the history. */
export type LiveEvent =
  | { readonly kind: 'advanced' }
  | {
      readonly kind: 'delta';
      readonly text: string;
      readonly attempt: number;
      /** Of the newest record when it was written: the one it is a piece of follows. */
      readonly afterSequence: number;
    };

export type LiveListener = (event: LiveEvent) => void;

/**
 * Tells all replicas what agents are doing right now and what waits for them: hints over plain NATS
 * that may get lost, so everybody who listens also looks at the database now and then.
 */
export class LiveFeed {
  readonly #served = new Map<number, (agentIds: readonly string[]) => void>();

  constructor(
    private readonly connection: NatsConnection,
    private readonly prefix: string,
  ) {}

  /** The agent has a new record, or is writing one. */
  tell(agentId: string, event: LiveEvent): void {
    this.#publish(`live.${agentId}`, event);
  }

  /** Returns how to stop listening. */
  watch(agentId: string, listener: LiveListener): () => void {
    return this.#subscribe(`live.${agentId}`, (event) => listener(event as LiveEvent));
  }

  /** There is a new permission request that the user may see, or one has changed. */
  tellUser(userId: string): void {
    this.#publish(`permissions.${userId}`, {});
  }

  watchUser(userId: string, listener: () => void): () => void {
    return this.#subscribe(`permissions.${userId}`, listener);
  }

  /** Something waits in the inbox of an agent of this shard. */
  wake(shard: number, agentIds: readonly string[]): void {
    const listener = this.#served.get(shard);
    if (listener) listener(agentIds);
    else this.#publish(`wake.${shard}`, agentIds);
  }

  /** For the one in this process who serves the shard. */
  onWake(shard: number, listener: (agentIds: readonly string[]) => void): () => void {
    this.#served.set(shard, listener);
    const unsubscribe = this.#subscribe(`wake.${shard}`, (ids) => listener(ids as string[]));
    return () => {
      if (this.#served.get(shard) === listener) this.#served.delete(shard);
      unsubscribe();
    };
  }

  /** Shards are free for others to take. */
  announceRelease(): void {
    this.#publish('shards', {});
  }

  onRelease(listener: () => void): () => void {
    return this.#subscribe('shards', listener);
  }

  #publish(subject: string, payload: unknown): void {
    // A closed or draining connection belongs to a process that is about to end.
    if (this.connection.isClosed() || this.connection.isDraining()) return;
    this.connection.publish(`${this.prefix}.${subject}`, JSON.stringify(payload));
  }

  #subscribe(subject: string, listener: (payload: unknown) => void): () => void {
    const subscription: Subscription = this.connection.subscribe(`${this.prefix}.${subject}`, {
      callback: (error, message) => {
        if (!error) listener(JSON.parse(message.string()));
      },
    });
    return () => subscription.unsubscribe();
  }
}
