import { requireUser, type Caller } from '@daycare/rpc';
import type { Requester } from '../usecases/spender';

/** Returns who is making a call that is open to both users and operators. */
export function requesterOf(caller: Caller): Requester {
  if (caller.kind === 'admin') return { kind: 'operator' };
  const { userId, parentUserId } = requireUser(caller);
  return { kind: 'user', userId, parentUserId };
}
