/**
 * What has to happen before a service reports that it serves. Until then it accepts calls, which it may have to
 * refuse, and balancers should not send it any.
 */
export class Readiness {
  readonly #pending = new Map<string, Promise<void>>();

  /** `what` completes "waiting for". */
  waitFor(what: string, done: Promise<void>): void {
    const forgotten = done.then(() => void this.#pending.delete(what));
    this.#pending.set(what, forgotten);
  }

  /** What has not happened yet. */
  get pending(): readonly string[] {
    return [...this.#pending.keys()];
  }

  async whenReady(): Promise<void> {
    await Promise.all(this.#pending.values());
  }
}
