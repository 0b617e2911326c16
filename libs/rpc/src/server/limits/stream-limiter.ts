import { AppError } from '@daycare/api';
import type { Caller, CallOrigin } from '../../shared/call-context';
import { makeCallerAddress, type CallerAddress } from './caller-address';

/** How many streams may be open at a time on this replica. */
export interface StreamLimits {
  /** The limit for a user, including all the user's subusers and agents, or for a client. */
  readonly perOwner: number;
  /** The limit for all anonymous callers at one address. */
  readonly perAddress: number;
  /** The limit for all users, clients and anonymous callers together. */
  readonly total: number;
}

/** Stops counting a stream; must be called exactly once. */
export type LeaveStream = () => void;

/**
 * Counts each caller's open streams. Services' and operators' streams do not count, because they must get through even
 * if everyone else has used up the limit.
 */
export class StreamLimiter {
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(
    private readonly limits: StreamLimits,
    private readonly addressOf: CallerAddress = makeCallerAddress(),
  ) {}

  /** How many counted streams are open. */
  get size(): number {
    return this.#total;
  }

  /** Throws QUOTA_EXCEEDED when the caller has too many streams open, UNAVAILABLE when too many are open in total. */
  enter(caller: Caller, call: CallOrigin): LeaveStream | undefined {
    const key = this.#keyOf(caller, call);
    if (key === undefined) return undefined;
    const { perOwner, perAddress, total } = this.limits;
    const max = caller.kind === 'anonymous' ? perAddress : perOwner;
    const openCount = this.#open.get(key) ?? 0;
    if (openCount >= max) throw tooManyStreams(max);
    if (this.#total >= total)
      throw new AppError(
        'UNAVAILABLE',
        'Too many streams are open on this replica; try again later',
      );
    this.#open.set(key, openCount + 1);
    this.#total += 1;
    return () => this.#leave(key);
  }

  #leave(key: string): void {
    this.#total -= 1;
    const remaining = (this.#open.get(key) ?? 1) - 1;
    if (remaining === 0) this.#open.delete(key);
    else this.#open.set(key, remaining);
  }

  #keyOf(caller: Caller, call: CallOrigin): string | undefined {
    switch (caller.kind) {
      case 'user':
        return `owner:${caller.parentUserId ?? caller.userId}`;
      case 'client':
        return `client:${caller.name}`;
      case 'anonymous':
        return `peer:${this.addressOf(call)}`;
      case 'admin':
      case 'service':
        return undefined;
    }
  }
}

function tooManyStreams(max: number): AppError {
  const quota = { subject: 'caller', description: `at most ${max} streams at a time` };
  return new AppError('QUOTA_EXCEEDED', 'You have too many open streams; close one first', {
    quota,
  });
}
