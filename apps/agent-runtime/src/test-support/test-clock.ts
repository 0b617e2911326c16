/** The current time, which a test can advance. */
export class TestClock {
  #aheadMs = 0;

  readonly now = (): Date => new Date(Date.now() + this.#aheadMs);

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
