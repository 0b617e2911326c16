import { AppError } from '@daycare/api';
import { TokenBuckets } from '@daycare/rpc';
import { UnknownNametag } from '../usecases/people';
import { hideTiming, isNotFound } from './hide-timing';

/** Makes a call that names a nametag or subuser on behalf of a user. */
export type GuardLookups = <T>(userId: string, work: () => Promise<T>) => Promise<T>;

/** The caller has named too many unknown things; this one was not looked up. */
export class TooManyUnknown extends AppError {
  constructor(waitMs: number) {
    const at = new Date(Date.now() + waitMs).toISOString();
    const quota = { subject: 'caller', description: 'unknown nametags per minute' };
    const text = `You have used too many nametags that do not exist; try again from ${at}`;
    super('QUOTA_EXCEEDED', text, { quota, retryAfterMs: Math.ceil(waitMs) });
  }
}

/**
 * Keeps callers from finding out which nametags exist: NOT_FOUND always takes the same work and time, and each
 * user gets a limited number of such answers. Beyond it nothing is looked up, whether it exists or not.
 * `askIdentity` looks up a nametag that does not exist.
 */
export function makeGuardLookups(
  perMinute: number,
  askIdentity: () => Promise<unknown>,
): GuardLookups {
  // What exists was found in a cache; without this it would be answered sooner while identity is busy.
  const withEqualWork = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const isHidden = isNotFound(error) && !(error instanceof UnknownNametag);
      if (isHidden) await askIdentity().catch(() => undefined);
      throw error;
    }
  };
  const budget = new UnknownBudget(perMinute);
  return async (userId, work) => {
    await budget.reserve(userId);
    let isUnknown = false;
    try {
      return await hideTiming(() => withEqualWork(work));
    } catch (error) {
      isUnknown = isNotFound(error);
      throw error;
    } finally {
      budget.settle(userId, isUnknown);
    }
  };
}

/** The calls of a user in progress, and those that wait until one of them ends. */
interface InProgress {
  count: number;
  readonly waiting: (() => void)[];
}

/**
 * How many unknown things each user may still name. A call reserves one before it looks anything up, and gives it
 * back if the thing was known, so concurrent calls find out no more than those made in turn.
 */
class UnknownBudget {
  readonly #answers: TokenBuckets;
  readonly #inProgress = new Map<string, InProgress>();

  constructor(perMinute: number) {
    this.#answers = new TokenBuckets({ perSecond: perMinute / 60, burst: perMinute });
  }

  /** While all that is left is reserved by other calls, waits for these: they may give it back. */
  async reserve(userId: string): Promise<void> {
    for (;;) {
      const waitMs = this.#answers.take(userId);
      const others = this.#inProgress.get(userId);
      if (waitMs === 0) {
        if (others) others.count += 1;
        else this.#inProgress.set(userId, { count: 1, waiting: [] });
        return;
      }
      if (!others) throw new TooManyUnknown(waitMs);
      await new Promise<void>((resolve) => others.waiting.push(resolve));
    }
  }

  settle(userId: string, isUnknown: boolean): void {
    if (!isUnknown) this.#answers.giveBack(userId);
    const calls = this.#inProgress.get(userId);
    if (!calls) return;
    calls.count -= 1;
    if (calls.count === 0) this.#inProgress.delete(userId);
    for (const resume of calls.waiting.splice(0)) resume();
  }
}
