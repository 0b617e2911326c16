import { onAbort } from '@daycare/async';

/**
 * The abort signal of a turn: it aborts, with the reason, when the turn is stopped, takes too long or can no longer be
 * continued by this replica. Whatever the reason, this replica takes no further step of the turn, so all steps share
 * this signal.
 */
export class TurnSignal {
  readonly #abort = new AbortController();
  readonly #releases: readonly (() => void)[];
  #isStopped = false;
  #isTimeOver = false;

  /** Aborts when the first of these signals does, and with its reason. */
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

  /** Whether the turn has taken too long. */
  get isTimeOver(): boolean {
    return this.#isTimeOver;
  }

  stop(): void {
    this.#isStopped = true;
    this.#abort.abort(new Error('the turn was stopped'));
  }

  /** Aborts after `ms`, unless the returned function is called first. */
  abortAfter(ms: number): () => void {
    const timer = setTimeout(
      () => {
        this.#isTimeOver = true;
        this.#abort.abort(new Error('the turn took too long'));
      },
      Math.max(0, ms),
    );
    return () => clearTimeout(timer);
  }

  /** Stops listening to the signals given to the constructor; call it when the turn is over. */
  release(): void {
    for (const release of this.#releases) release();
  }
}
