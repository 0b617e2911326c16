/** Runs the tasks of one lane one after another, those of different lanes side by side. */
export class LaneChains {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Ends as the task does; a task that fails does not hold up those behind it. */
  async run(lane: string, task: () => Promise<void>): Promise<void> {
    const before = this.#last.get(lane) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => undefined);
    this.#last.set(lane, settled);
    try {
      await mine;
    } finally {
      if (this.#last.get(lane) === settled) this.#last.delete(lane);
    }
  }
}
