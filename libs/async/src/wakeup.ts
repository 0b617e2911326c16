/** A sleep that can be cut short. If nothing is sleeping, a signal cuts the next sleep short. */
export class Wakeup {
  #isSignalled = false;
  #wake: (() => void) | undefined;

  async sleep(durationMs: number): Promise<void> {
    if (!this.#isSignalled) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
        timer = setTimeout(wake, durationMs);
      });
      clearTimeout(timer);
    }
    this.#isSignalled = false;
    this.#wake = undefined;
  }

  signal(): void {
    this.#isSignalled = true;
    this.#wake?.();
  }
}
