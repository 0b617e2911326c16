/**
 * Asks a running turn to check whether it has to end. Since the turn only checks, asking too often or after the
 * turn has ended is harmless.
 */
export class TurnInterrupts {
  #isRaised = false;
  #listener: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#listener?.();
  }

  /** Reports whether a check was requested since the last call, and forgets the request. */
  take(): boolean {
    const wasRaised = this.#isRaised;
    this.#isRaised = false;
    return wasRaised;
  }

  /**
   * Calls `listener` whenever a check is requested, and immediately if one already was. The returned function
   * unsubscribes it.
   */
  listen(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isRaised) listener();
    return () => (this.#listener = undefined);
  }
}
