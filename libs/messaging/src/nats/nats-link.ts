import { Events, type NatsConnection, type NatsError, type Msg, type Status } from 'nats';

export interface LinkSubscription {
  unsubscribe(): void;
  /** Stops receiving; resolves once everything already received has been passed to the callback. */
  drain(): Promise<void>;
}

export interface SubscribeOptions {
  readonly queue?: string;
  readonly callback: (error: NatsError | null, message: Msg) => void;
}

/** The part of a NATS connection that we use. `info` is undefined while there is no connection. */
export type NatsLink = Pick<
  NatsConnection,
  | 'publish'
  | 'flush'
  | 'jetstream'
  | 'jetstreamManager'
  | 'closed'
  | 'isClosed'
  | 'isDraining'
  | 'drain'
  | 'close'
> & {
  readonly info?: NatsConnection['info'] | undefined;
  subscribe(subject: string, options: SubscribeOptions): LinkSubscription;
  status(): AsyncIterable<Pick<Status, 'type' | 'data'>>;
};

type Attach = (connection: NatsConnection) => void;

/**
 * A link whose first connection is made later. Until then, subscriptions wait, requests fail, and publications
 * are lost, as may happen to anything outside a stream. The first connection is reported as a reconnection.
 */
export class PendingLink implements NatsLink {
  readonly #opened: Promise<NatsConnection | undefined>;
  #resolve: (connection: NatsConnection | undefined) => void = () => undefined;
  readonly #waiting = new Set<Attach>();
  #connection: NatsConnection | undefined;
  #isClosed = false;

  constructor() {
    this.#opened = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Call it with the first connection. */
  open(connection: NatsConnection): void {
    this.#connection = connection;
    for (const attach of this.#waiting) attach(connection);
    this.#waiting.clear();
    this.#resolve(connection);
  }

  get info(): NatsConnection['info'] {
    return this.#connection?.info;
  }

  publish(...args: Parameters<NatsConnection['publish']>): void {
    this.#connection?.publish(...args);
  }

  subscribe(subject: string, options: SubscribeOptions): LinkSubscription {
    let subscription: LinkSubscription | undefined;
    const attach: Attach = (connection) => {
      subscription = connection.subscribe(subject, options);
    };
    if (this.#connection) attach(this.#connection);
    else this.#waiting.add(attach);
    return {
      unsubscribe: () => {
        this.#waiting.delete(attach);
        subscription?.unsubscribe();
      },
      drain: async () => {
        this.#waiting.delete(attach);
        await subscription?.drain();
      },
    };
  }

  async flush(): Promise<void> {
    await this.#requireConnection().flush();
  }

  jetstream(...args: Parameters<NatsConnection['jetstream']>) {
    return this.#requireConnection().jetstream(...args);
  }

  async jetstreamManager(...args: Parameters<NatsConnection['jetstreamManager']>) {
    return this.#requireConnection().jetstreamManager(...args);
  }

  async *status(): AsyncGenerator<Pick<Status, 'type' | 'data'>> {
    const isFirst = this.#connection === undefined;
    const connection = await this.#opened;
    if (!connection) return;
    if (isFirst) yield { type: Events.Reconnect, data: '' };
    yield* connection.status();
  }

  closed: NatsLink['closed'] = async () => (await this.#opened)?.closed();

  isClosed(): boolean {
    return this.#connection?.isClosed() ?? this.#isClosed;
  }

  isDraining(): boolean {
    return this.#connection?.isDraining() ?? false;
  }

  async drain(): Promise<void> {
    await this.#connection?.drain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#resolve(undefined);
    await this.#connection?.close();
  }

  #requireConnection(): NatsConnection {
    if (this.#connection) return this.#connection;
    throw new Error('there has been no connection to NATS yet');
  }
}
