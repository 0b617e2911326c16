import { AppError } from '@daycare/api';

/** Limits how many streams a user may have open at this replica at the same time. */
export class StreamLimiter {
  readonly #open = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Throws QUOTA_EXCEEDED when the limit is reached. Returns the release, to be called once. */
  acquire(userId: string): () => void {
    const count = this.#open.get(userId) ?? 0;
    if (count >= this.max) {
      const quota = { subject: 'caller', description: `at most ${this.max} streams at a time` };
      throw new AppError('QUOTA_EXCEEDED', 'You have too many open streams; close one first', {
        quota,
      });
    }
    this.#open.set(userId, count + 1);
    return () => this.#release(userId);
  }

  #release(userId: string): void {
    const left = (this.#open.get(userId) ?? 1) - 1;
    if (left > 0) this.#open.set(userId, left);
    else this.#open.delete(userId);
  }
}
