import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';

export interface RateLimit {
  /** The sustained rate. */
  readonly perSecond: number;
  /** How many calls may be made in a burst after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

const maxBuckets = 50_000;

/**
 * A token bucket per key. When there are too many, the least recently used one is dropped; if its key is used again, it
 * starts full. Each replica counts separately, because the limit protects the process and is not a quota.
 */
export class TokenBuckets {
  readonly #buckets = new LRUCache<string, Bucket>(limitEntries(maxBuckets));

  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Returns how long until a token can be taken, in milliseconds, or 0 if there is one. Adds no bucket, so that queries
   * evict none.
   */
  waitMs(key: string): number {
    return this.#waitMs(this.#refill(key));
  }

  /**
   * Takes a token if there is one and returns 0; otherwise returns how long to wait for one, in milliseconds.
   */
  take(key: string): number {
    const bucket = this.#refill(key);
    const waitMs = this.#waitMs(bucket);
    if (waitMs === 0) bucket.tokens -= 1;
    if (!this.#buckets.has(key)) this.#buckets.set(key, bucket);
    return waitMs;
  }

  /** Takes a token even if there is none, for a call that has already been made; later calls wait longer. */
  charge(key: string): void {
    const bucket = this.#refill(key);
    bucket.tokens -= 1;
    if (!this.#buckets.has(key)) this.#buckets.set(key, bucket);
  }

  /** Undoes a `take` that got a token. */
  refund(key: string): void {
    const bucket = this.#refill(key);
    bucket.tokens = Math.min(this.limit.burst, bucket.tokens + 1);
  }

  #waitMs({ tokens }: Bucket): number {
    return tokens >= 1 ? 0 : ((1 - tokens) / this.limit.perSecond) * 1000;
  }

  #refill(key: string): Bucket {
    const { perSecond, burst } = this.limit;
    const atMs = this.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledAtMs: atMs };
    const earned = (Math.max(atMs - bucket.filledAtMs, 0) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.filledAtMs = atMs;
    return bucket;
  }
}
