export interface ChangePollDeps<Mark> {
  /** The first poll: returns the mark from which changes are followed. */
  readonly begin: () => Promise<Mark>;
  /** Applies the changes since a mark; returns the next mark. */
  readonly update: (since: Mark) => Promise<Mark>;
  readonly now: () => Date;
}

/** Follows the changes of a store by its marks, one poll at a time; concurrent callers share a poll. */
export class ChangePoll<Mark> {
  #mark: Mark | undefined;
  #polledAt = new Date(0);
  #polling: Promise<void> | undefined;

  constructor(private readonly deps: ChangePollDeps<Mark>) {}

  /** Whether the last poll began this long ago, or this clock was set back since. */
  isOlderThan(maxAgeMs: number): boolean {
    const ageMs = this.deps.now().getTime() - this.#polledAt.getTime();
    return ageMs >= maxAgeMs || ageMs < 0;
  }

  poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #pollOnce(): Promise<void> {
    const { begin, update, now } = this.deps;
    const beganAt = now();
    this.#mark = this.#mark === undefined ? await begin() : await update(this.#mark);
    this.#polledAt = beganAt;
  }
}
