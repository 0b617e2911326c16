import { AppError } from '@daycare/api';
import { subscriberOf, TokenBuckets } from '@daycare/rpc';
import type { HttpLimits } from './http-config';

/** Must be called when the admitted connection or request ends; only once for a connection. */
export type Release = () => void;

/** Limits the connections and requests from each address, and the requests in total. */
export class RequestGate {
  readonly #rate: TokenBuckets;
  readonly #requests = new Map<string, number>();
  readonly #connections = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: HttpLimits) {
    this.#rate = new TokenBuckets(limits.rate);
  }

  /** How many requests are in progress. */
  get size(): number {
    return this.#total;
  }

  /** Counts a request. Throws when its address makes too many requests, or too many are in progress in total. */
  enter(address: string): Release {
    const key = subscriberOf(address);
    const waitMs = this.#rate.take(key);
    if (waitMs > 0) throw tooManyRequests(waitMs);
    const { requests, requestsPerAddress } = this.limits;
    if (this.#total >= requests)
      throw new AppError(
        'UNAVAILABLE',
        'This gateway has too many requests in progress; try again later',
      );
    const release = count(this.#requests, key, requestsPerAddress);
    if (!release) throw tooManyInProgress(requestsPerAddress);
    this.#total += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#total -= 1;
      release();
    };
  }

  /** Counts a connection; returns undefined when the address has too many. */
  connect(address: string): Release | undefined {
    return count(this.#connections, subscriberOf(address), this.limits.connectionsPerAddress);
  }
}

/** Counts one more for the key; returns undefined, without counting, if the key has reached the maximum. */
function count(counts: Map<string, number>, key: string, max: number): Release | undefined {
  const open = counts.get(key) ?? 0;
  if (open >= max) return undefined;
  counts.set(key, open + 1);
  return () => {
    const remaining = (counts.get(key) ?? 1) - 1;
    if (remaining === 0) counts.delete(key);
    else counts.set(key, remaining);
  };
}

function tooManyRequests(retryAfterMs: number): AppError {
  const quota = { subject: 'address', description: 'requests per second' };
  return new AppError('RATE_LIMITED', 'Too many requests; try again later', {
    retryAfterMs,
    quota,
  });
}

function tooManyInProgress(max: number): AppError {
  const quota = { subject: 'address', description: `at most ${max} requests at a time` };
  const message =
    'Too many requests from your address are in progress; try again when one has ended';
  return new AppError('QUOTA_EXCEEDED', message, { quota });
}
