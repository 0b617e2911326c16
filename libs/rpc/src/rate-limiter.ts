import { AppError } from '@daycare/errors';
import type { Caller } from './call-context';

export interface RateLimit {
  /** How many calls a caller may make in the long run. */
  readonly perSecond: number;
  /** How many it may make at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

const mostBuckets = 50_000;

/**
 * A token bucket per caller. Services and operators are not limited; callers without a name share
 * one bucket per address. Each replica counts for itself: the limit guards the process, not a quota.
 */
export function createRateLimiter(limit: RateLimit, now: () => number = Date.now) {
  const buckets = new Map<string, Bucket>();
  return (caller: Caller, peer: string): void => {
    const key = keyOf(caller, peer);
    if (key === undefined) return;
    const bucket = refill(buckets, key, limit, now());
    if (bucket.tokens < 1) throw tooMany(((1 - bucket.tokens) / limit.perSecond) * 1000);
    bucket.tokens -= 1;
  };
}

function keyOf(caller: Caller, peer: string): string | undefined {
  switch (caller.kind) {
    case 'user':
      return `user:${caller.userId}`;
    case 'client':
      return `client:${caller.name}`;
    case 'anonymous':
      return `peer:${peer.replace(/:\d+$/, '')}`;
    case 'admin':
    case 'service':
      return undefined;
  }
}

function refill(buckets: Map<string, Bucket>, key: string, limit: RateLimit, at: number): Bucket {
  const known = buckets.get(key);
  const bucket = known ?? { tokens: limit.burst, filledAt: at };
  const earned = ((at - bucket.filledAt) / 1000) * limit.perSecond;
  bucket.tokens = Math.min(limit.burst, bucket.tokens + Math.max(earned, 0));
  bucket.filledAt = at;
  // Put last again, so that the first entry is the one used longest ago: the one to forget.
  buckets.delete(key);
  buckets.set(key, bucket);
  if (buckets.size > mostBuckets) buckets.delete(buckets.keys().next().value ?? key);
  return bucket;
}

function tooMany(retryAfterMs: number): AppError {
  const quota = { subject: 'caller', description: 'calls per second' };
  return new AppError('RATE_LIMITED', 'Too many calls; wait a moment', { retryAfterMs, quota });
}
