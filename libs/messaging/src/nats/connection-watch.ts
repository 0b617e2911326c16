import { Events, type NatsConnection, type QueuedIterator, type Status } from 'nats';

export interface ConnectionListener {
  onLost?(): void;
  onReconnect(): void;
}

/** Whether the connection to NATS is up, with callbacks for when it is lost and restored. */
export class ConnectionWatch {
  readonly #statuses: QueuedIterator<Status>;
  #up: boolean;

  constructor(connection: NatsConnection, listener: ConnectionListener) {
    // The client has no server info while it is disconnected.
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
