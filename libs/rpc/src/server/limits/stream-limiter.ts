import { AppError } from '@daycare/api';
import { KeyedSlots, type Slot } from '@daycare/async';
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

/** Stops counting a stream. */
export type LeaveStream = () => void;

/**
 * Counts each caller's open streams. Services' and operators' streams do not count, because they must get through even
 * if everyone else has used up the limit.
 */
export class StreamLimiter {
  readonly #byOwner: KeyedSlots;
  readonly #byAddress: KeyedSlots;

  constructor(
    private readonly limits: StreamLimits,
    private readonly addressOf: CallerAddress = makeCallerAddress(),
  ) {
    this.#byOwner = new KeyedSlots(limits.perOwner);
    this.#byAddress = new KeyedSlots(limits.perAddress);
  }

  /** How many counted streams are open. */
  get size(): number {
    return this.#byOwner.size + this.#byAddress.size;
  }

  /**
   * Counts a stream and returns the function that stops counting it; returns undefined if the caller's streams do not
   * count. Throws QUOTA_EXCEEDED when the caller has too many streams open, UNAVAILABLE when too many are open in
   * total.
   */
  enter(caller: Caller, call: CallOrigin): LeaveStream | undefined {
    const slot = this.#slotOf(caller, call);
    if (!slot) return undefined;
    const { perOwner, perAddress, total } = this.limits;
    if (!slot.tryTake()) throw tooManyStreams(caller.kind === 'anonymous' ? perAddress : perOwner);
    if (this.size <= total) return slot.release;
    slot.release();
    throw new AppError('UNAVAILABLE', 'Too many streams are open on this replica; try again later');
  }

  #slotOf(caller: Caller, call: CallOrigin): Slot | undefined {
    switch (caller.kind) {
      case 'user':
        return this.#byOwner.slotFor(`owner:${caller.parentUserId ?? caller.userId}`);
      case 'client':
        return this.#byOwner.slotFor(`client:${caller.name}`);
      case 'anonymous':
        return this.#byAddress.slotFor(this.addressOf(call));
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
