import { AppError } from '@daycare/errors';
import type { Caller, UserCaller } from '@daycare/rpc';

/** The user that calls. The access table has kept everybody else out. */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new AppError('PERMISSION_DENIED', 'This call is not open to you');
}
