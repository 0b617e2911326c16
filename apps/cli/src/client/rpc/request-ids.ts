import { newRequestId } from '@daycare/client';

/**
 * The request ids of one invocation, derived from the first: repeating a command with the same first
 * id repeats all of them, so the services recognise the requests.
 */
export class RequestIds {
  readonly #first: string;
  #count = 0;

  constructor(first: string = newRequestId()) {
    this.#first = first;
  }

  next(): string {
    this.#count += 1;
    return this.#count === 1 ? this.#first : `${this.#first}.${this.#count}`;
  }
}
