import { onAbort } from '@daycare/async';

/**
 * The only signal of a turn: it aborts, with the reason, when the work of the turn is no longer needed.
 * Every reason ends the turn, so no step needs a signal of its own.
 */
export class TurnSignal {
  readonly #abort = new AbortController();
  readonly #releases: readonly (() => void)[];
  #isStopped = false;
  #isTimeOver = false;

  /** Aborts with the first of these signals that aborts, and with its reason. */
  constructor(...causes: readonly AbortSignal[]) {
    this.#releases = causes.map((cause) => onAbort(cause, () => this.#abort.abort(cause.reason)));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether the turn was stopped. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the turn has worked for too long. */
  get isTimeOver(): boolean {
    return this.#isTimeOver;
  }

  stop(): void {
    this.#isStopped = true;
    this.#abort.abort(new Error('the turn was stopped'));
  }

  /** Limits the time until the returned function is called. */
  limitTime(ms: number): () => void {
    const timer = setTimeout(
      () => {
        this.#isTimeOver = true;
        this.#abort.abort(new Error('the turn took too long'));
      },
      Math.max(0, ms),
    );
    return () => clearTimeout(timer);
  }

  /** Call it when the turn is over. */
  release(): void {
    for (const release of this.#releases) release();
  }
}
