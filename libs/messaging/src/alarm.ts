/** A sleep that can be cut short. A ring while nobody sleeps cuts the next sleep. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  async sleep(durationMs: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
        timer = setTimeout(wake, durationMs);
      });
      clearTimeout(timer);
    }
    this.#rung = false;
    this.#wake = undefined;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }
}
