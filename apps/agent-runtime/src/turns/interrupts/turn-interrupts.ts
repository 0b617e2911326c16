/**
 * Asks a running turn to check whether it has to end. It is only a request to check: raising it too
 * often or after the turn has ended is harmless.
 */
export class TurnInterrupts {
  #isRaised = false;
  #listener: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#listener?.();
  }

  /** Whether it was raised since this was last called. */
  take(): boolean {
    const wasRaised = this.#isRaised;
    this.#isRaised = false;
    return wasRaised;
  }

  /** Calls back whenever it is raised, and immediately if it is raised already. Returns a function that stops it. */
  listen(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isRaised) listener();
    return () => (this.#listener = undefined);
  }
}
