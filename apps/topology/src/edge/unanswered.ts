import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers that connections wait for. A connection waits for one at a time. */
export class Unanswered {
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  /** False when the connection can take no answer, or waits for another: this one would be queued behind it. */
  add(response: ServerResponse): boolean {
    const { socket } = response;
    if (!socket?.writable) return false;
    this.#responses.set(socket, response);
    response.once('close', () => this.#responses.delete(socket));
    return true;
  }

  has(socket: Duplex): boolean {
    return this.#responses.has(socket);
  }

  /** Anything the edge says on this connection would be taken for a part of the answer. */
  isBegun(socket: Duplex): boolean {
    return this.#responses.get(socket)?.headersSent ?? false;
  }
}
