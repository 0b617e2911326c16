import { AppError } from '@daycare/errors';
import type { Caller, UserCaller } from '@daycare/rpc';

/** The access table admits users; a service that calls for one says for whom. */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new AppError('INVALID_ARGUMENT', 'This call is made for a user; send its context along');
}
