import { BoundedCache } from '@daycare/auth';
import { refill, waitMs, type Bucket, type Rate } from '../domain/token-bucket';

const mostBuckets = 50_000;

/**
 * A token bucket per key. Unlike the limiter of calls it can be looked at without taking, which failed tries
 * need. Each replica counts for itself.
 */
export class TokenBuckets {
  readonly #buckets = new BoundedCache<string, Bucket>(mostBuckets);

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number = Date.now,
  ) {}

  /** How long until one can be taken; 0 when there is one. */
  wait(key: string): number {
    return waitMs(this.#look(key), this.rate);
  }

  /** Takes one; says how long to wait when there is none. */
  take(key: string): number {
    const bucket = this.#look(key);
    const wait = waitMs(bucket, this.rate);
    const left = wait === 0 ? bucket.tokens - 1 : bucket.tokens;
    this.#buckets.set(key, { ...bucket, tokens: left });
    return wait;
  }

  #look(key: string): Bucket {
    return refill(this.#buckets.get(key), this.rate, this.now());
  }
}
