import { AppError } from '@daycare/api';
import type { Caller, CallOrigin } from '../../shared/call-context';
import { makeCallerAddress, type CallerAddress } from './caller-address';
import { TokenBuckets, type RateLimit } from './token-buckets';

export type LimitRate = (caller: Caller, call: CallOrigin, sessionId?: string) => void;

/**
 * The calls that name sessions are also limited per address, because a client can invent sessions. That limit is
 * this many times the limit per session.
 */
const sessionsPerAddress = 10;

/**
 * Limits each caller's calls. Services and operators are not limited; anonymous callers share one bucket per address,
 * unless the call names a session.
 */
export function createRateLimiter(
  limit: RateLimit,
  addressOf: CallerAddress = makeCallerAddress(),
  now: () => number = Date.now,
): LimitRate {
  const buckets = new TokenBuckets(limit, now);
  // Separate from the other buckets, which invented sessions must not evict.
  const sessions = new TokenBuckets(limit, now);
  const perSecond = limit.perSecond * sessionsPerAddress;
  const burst = limit.burst * sessionsPerAddress;
  const addressesOfSessions = new TokenBuckets({ perSecond, burst }, now);
  const take = (from: TokenBuckets, key: string): void => {
    const waitMs = from.take(key);
    if (waitMs > 0) throw tooManyCalls(waitMs);
  };
  return (caller, call, sessionId) => {
    switch (caller.kind) {
      case 'user':
        return take(buckets, `user:${caller.userId}`);
      case 'client':
        return take(buckets, `client:${caller.name}`);
      case 'anonymous': {
        const address = addressOf(call);
        if (sessionId === undefined) return take(buckets, `peer:${address}`);
        take(addressesOfSessions, address);
        return take(sessions, sessionId);
      }
      case 'admin':
      case 'service':
        return undefined;
    }
  };
}

/** Returns the session id in a refresh token or a personal access token; the session need not exist. */
export function sessionIdOf(token: unknown): string | undefined {
  return typeof token === 'string' ? /^(?:dcp_)?([a-z0-9]{2,64})\./.exec(token)?.[1] : undefined;
}

function tooManyCalls(retryAfterMs: number): AppError {
  const quota = { subject: 'caller', description: 'calls per second' };
  return new AppError('RATE_LIMITED', 'Too many calls; try again later', { retryAfterMs, quota });
}
