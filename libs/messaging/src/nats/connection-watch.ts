import { Events } from 'nats';
import type { NatsLink } from './nats-link';

export interface ConnectionListener {
  onLost?(): void;
  onReconnect(): void;
}

/** Tracks whether the connection to NATS is up, and calls back when it is lost or restored. */
export class ConnectionWatch {
  readonly #listener: ConnectionListener;
  #up: boolean;
  #isStopped = false;

  constructor(connection: NatsLink, listener: ConnectionListener) {
    this.#listener = listener;
    // The client has no server info while it is disconnected.
    this.#up = connection.info !== undefined;
    void this.#follow(connection);
  }

  get isUp(): boolean {
    return this.#up && !this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #follow(connection: NatsLink): Promise<void> {
    for await (const { type } of connection.status()) {
      if (this.#isStopped) return;
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      this.#up = type === Events.Reconnect;
      if (this.#up) this.#listener.onReconnect();
      else this.#listener.onLost?.();
    }
    this.#up = false;
  }
}
