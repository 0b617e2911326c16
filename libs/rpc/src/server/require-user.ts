import { AppError } from '@daycare/api';
import type { Caller, UserCaller } from '../shared/call-context';

/**
 * Returns the calling user. An RPC that is open to services as well needs to know for which user the service acts; a
 * call without a user is malformed rather than forbidden.
 */
export function requireUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new AppError('INVALID_ARGUMENT', 'This method must be called on behalf of a user');
}
