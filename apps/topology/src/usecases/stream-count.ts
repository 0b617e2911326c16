import { AppError } from '@daycare/errors';

/** Keeps one user from holding more streams of this replica open than is of use to anybody. */
export class StreamCount {
  readonly #open = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Throws QUOTA_EXCEEDED when there are too many. Returns how to leave, to be called once. */
  enter(userId: string): () => void {
    const count = this.#open.get(userId) ?? 0;
    if (count >= this.most) {
      const quota = { subject: 'caller', description: `at most ${this.most} streams at a time` };
      throw new AppError('QUOTA_EXCEEDED', 'Too many streams are open', { quota });
    }
    this.#open.set(userId, count + 1);
    return () => this.#leave(userId);
  }

  #leave(userId: string): void {
    const left = (this.#open.get(userId) ?? 1) - 1;
    if (left > 0) this.#open.set(userId, left);
    else this.#open.delete(userId);
  }
}
