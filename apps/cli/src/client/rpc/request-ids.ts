import { newRequestId } from '@daycare/client';

/**
 * Generates the request ids of one command from its first id. A command that is run again with the same first id sends
 * the same ids, so that the services recognise the retries.
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
