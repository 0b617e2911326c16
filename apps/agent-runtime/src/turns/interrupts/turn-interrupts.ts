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

  /** Whether a check was requested since the last call of this function. */
  take(): boolean {
    const wasRaised = this.#isRaised;
    this.#isRaised = false;
    return wasRaised;
  }

  /**
   * Calls back whenever a check is requested, and immediately if one already was. The returned function ends
   * this.
   */
  listen(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isRaised) listener();
    return () => (this.#listener = undefined);
  }
}
