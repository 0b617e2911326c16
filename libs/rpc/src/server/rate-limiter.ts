import { AppError } from '@daycare/api';
import type { Caller } from '../shared/call-context';
import type { Peer } from './call-pipeline';
import { TokenBuckets, type RateLimit } from './token-buckets';

/**
 * Limits the calls of each caller. Services and operators are not limited; anonymous callers share one
 * bucket per address.
 */
export function createRateLimiter(limit: RateLimit, now: () => number = Date.now) {
  const buckets = new TokenBuckets(limit, now);
  return (caller: Caller, peer: Peer): void => {
    const key = keyOf(caller, peer);
    if (key === undefined) return;
    const waitMs = buckets.take(key);
    if (waitMs > 0) throw tooManyCalls(waitMs);
  };
}

function keyOf(caller: Caller, peer: Peer): string | undefined {
  switch (caller.kind) {
    case 'user':
      return `user:${caller.userId}`;
    case 'client':
      return `client:${caller.name}`;
    case 'anonymous':
      return `peer:${peer.getPeer().replace(/:\d+$/, '')}`;
    case 'admin':
    case 'service':
      return undefined;
  }
}

function tooManyCalls(retryAfterMs: number): AppError {
  const quota = { subject: 'caller', description: 'calls per second' };
  return new AppError('RATE_LIMITED', 'Too many calls; try again later', { retryAfterMs, quota });
}
