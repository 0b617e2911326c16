import { randomUUID } from 'node:crypto';

/**
 * The ids of one invocation's requests: the same in the same order when the first is given again, so
 * that repeating a command repeats no effect.
 */
export class RequestIds {
  readonly #first: string;
  #count = 0;

  constructor(first: string = randomUUID()) {
    this.#first = first;
  }

  next(): string {
    this.#count += 1;
    return this.#count === 1 ? this.#first : `${this.#first}.${this.#count}`;
  }
}
