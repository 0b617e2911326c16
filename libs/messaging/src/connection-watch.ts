import { Events, type NatsConnection, type QueuedIterator, type Status } from 'nats';

export interface ConnectionListener {
  onLost?(): void;
  onReconnect(): void;
}

/** Knows whether the connection to NATS is up, and tells when it is lost and when it is back. */
export class ConnectionWatch {
  readonly #statuses: QueuedIterator<Status>;
  #up: boolean;

  constructor(connection: NatsConnection, listener: ConnectionListener) {
    // The client forgets what the server told it while it has none.
    this.#up = connection.info !== undefined;
    this.#statuses = connection.status() as QueuedIterator<Status>;
    void this.#follow(listener);
  }

  get isUp(): boolean {
    return this.#up;
  }

  stop(): void {
    this.#statuses.stop();
  }

  async #follow(listener: ConnectionListener): Promise<void> {
    for await (const { type } of this.#statuses) {
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      this.#up = type === Events.Reconnect;
      if (this.#up) listener.onReconnect();
      else listener.onLost?.();
    }
    this.#up = false;
  }
}
