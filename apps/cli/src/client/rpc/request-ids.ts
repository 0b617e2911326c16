import { newRequestId } from '@daycare/client';

/**
 * The request ids of one invocation, derived from the first. Running a command again with the same first
 * id repeats all of them, so that the services recognise the retries.
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
