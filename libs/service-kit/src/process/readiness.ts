/**
 * What has to happen before a service reports that it is serving. Until then, load balancers should send it no calls;
 * it handles calls that arrive anyway, but may have to refuse them.
 */
export class Readiness {
  readonly #pending = new Map<string, Promise<void>>();

  /** `what` completes the phrase "waiting for …". */
  waitFor(what: string, done: Promise<void>): void {
    const removal = done.then(() => void this.#pending.delete(what));
    this.#pending.set(what, removal);
  }

  /** What has not happened yet. */
  get pending(): readonly string[] {
    return [...this.#pending.keys()];
  }

  async whenReady(): Promise<void> {
    await Promise.all(this.#pending.values());
  }
}
