import { AppError } from '@daycare/api';
import { TokenBuckets } from '@daycare/rpc';
import { UnknownNametag } from '../usecases/people';
import { hideTiming, isNotFound } from './hide-timing';

/** Makes a call that names a nametag or subuser on behalf of a user. */
export type GuardLookups = <T>(userId: string, work: () => Promise<T>) => Promise<T>;

/** The caller has named too many unknown nametags; this one was not looked up. */
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
  // A hidden nametag was found in a cache; without this query it would be answered sooner while identity
  // is busy.
  const withEqualWork = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const isHidden = isNotFound(error) && !(error instanceof UnknownNametag);
      if (isHidden) await askIdentity().catch(() => undefined);
      throw error;
    }
  };
  const answers = new TokenBuckets({ perSecond: perMinute / 60, burst: perMinute });
  return async (userId, work) => {
    const waitMs = answers.waitMs(userId);
    if (waitMs > 0) throw new TooManyUnknown(waitMs);
    try {
      return await hideTiming(() => withEqualWork(work));
    } catch (error) {
      // Concurrent calls may get more answers than are left; the user then waits for longer.
      if (isNotFound(error)) answers.charge(userId);
      throw error;
    }
  };
}
