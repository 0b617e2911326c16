import { AppError } from '@daycare/api';
import { KeyedSlots } from '@daycare/async';
import { subscriberOf, TokenBuckets } from '@daycare/rpc';
import type { HttpLimits } from './http-config';

/** Must be called when the admitted connection or request ends. */
export type Release = () => void;

/** Limits the connections and requests from each address, and the requests in total. */
export class RequestGate {
  readonly #rate: TokenBuckets;
  readonly #requests: KeyedSlots;
  readonly #connections: KeyedSlots;

  constructor(private readonly limits: HttpLimits) {
    this.#rate = new TokenBuckets(limits.rate);
    this.#requests = new KeyedSlots(limits.requestsPerAddress);
    this.#connections = new KeyedSlots(limits.connectionsPerAddress);
  }

  /** How many requests are in progress. */
  get size(): number {
    return this.#requests.size;
  }

  /** Counts a request. Throws when its address makes too many requests, or too many are in progress in total. */
  enter(address: string): Release {
    const key = subscriberOf(address);
    const waitMs = this.#rate.take(key);
    if (waitMs > 0) throw tooManyRequests(waitMs);
    const { requests, requestsPerAddress } = this.limits;
    if (this.#requests.size >= requests)
      throw new AppError(
        'UNAVAILABLE',
        'This gateway has too many requests in progress; try again later',
      );
    const slot = this.#requests.slotFor(key);
    if (!slot.tryTake()) throw tooManyInProgress(requestsPerAddress);
    return slot.release;
  }

  /** Counts a connection; returns undefined when the address has too many. */
  connect(address: string): Release | undefined {
    const slot = this.#connections.slotFor(subscriberOf(address));
    return slot.tryTake() ? slot.release : undefined;
  }
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
