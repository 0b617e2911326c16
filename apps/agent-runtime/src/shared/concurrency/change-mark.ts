/**
 * Remembers how far a poller has read a collection's changes: its mark is the time or number of the newest change read
 * so far. Each poll should start reading a little before the mark, because changes can become visible late. While no
 * newer change appears, that margin should shrink with time: otherwise every poll would reread the last burst of
 * changes.
 */
export class ChangeMark<M> {
  #mark: M | undefined;
  #seenAtMs = 0;
  #quietMs = 0;

  constructor(
    private readonly isSame: (a: M, b: M) => boolean,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /**
   * Runs one poll. The first one calls `begin`; each later one calls `update` with the mark and the time for which
   * nothing newer has been seen. Both return the new mark.
   */
  async poll(
    begin: () => Promise<M>,
    update: (mark: M, quietMs: number) => Promise<M>,
  ): Promise<void> {
    const beganAtMs = this.clock();
    const previous = this.#mark;
    const mark = previous === undefined ? await begin() : await update(previous, this.#quietMs);
    this.#mark = mark;
    if (previous !== undefined && this.isSame(previous, mark)) {
      this.#quietMs = Math.max(0, beganAtMs - this.#seenAtMs);
      return;
    }
    this.#seenAtMs = this.clock();
    this.#quietMs = 0;
  }
}
