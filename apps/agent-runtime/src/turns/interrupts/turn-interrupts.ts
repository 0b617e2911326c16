/**
 * Asks a running turn to look for whatever may end it. Only a request to look: raising it too often or
 * after the turn has ended is harmless.
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

  /** Called whenever it is raised, and immediately if it is already. The result ends it. */
  listen(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isRaised) listener();
    return () => (this.#listener = undefined);
  }
}
