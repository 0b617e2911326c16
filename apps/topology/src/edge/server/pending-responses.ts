import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The response that each connection is waiting for; at most one at a time. */
export class PendingResponses {
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  /** Adds a response; false when the connection is closed or still waits for an earlier response. */
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

  /** Whether anything the edge writes now would become part of the response. */
  hasBegun(socket: Duplex): boolean {
    return this.#responses.get(socket)?.headersSent ?? false;
  }
}
