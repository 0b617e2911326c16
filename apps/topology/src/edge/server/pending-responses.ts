import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The response, at most one at a time, that each connection is waiting for. */
export class PendingResponses {
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  /** Returns false when the connection is closed or still waiting for an earlier response. */
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

  /** Reports whether anything the edge writes now would become part of the response. */
  hasBegun(socket: Duplex): boolean {
    return this.#responses.get(socket)?.headersSent ?? false;
  }
}
