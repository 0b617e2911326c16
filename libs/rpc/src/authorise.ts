import type { Role } from '@daycare/contracts/access';
import { AppError } from '@daycare/errors';
import type { Caller } from './call-context';

/** Throws unless one of the caller's roles is among those the RPC is open to. */
export function authorise(access: readonly Role[], caller: Caller): void {
  if (access.includes('anyone')) return;
  if (caller.kind === 'anonymous') throw new AppError('UNAUTHENTICATED', 'A token is required');
  const roles = rolesOf(caller);
  if (access.some((role) => roles.includes(role))) return;
  throw new AppError('PERMISSION_DENIED', 'This call is not open to you');
}

function rolesOf(caller: Exclude<Caller, { kind: 'anonymous' }>): readonly string[] {
  switch (caller.kind) {
    case 'user': {
      const roles = caller.parentUserId === undefined ? ['user'] : ['subuser'];
      if (roles[0] === 'user' && caller.agentId === undefined) roles.push('person');
      // A call that is open to one service is open to it also when it acts for a user.
      if (caller.via !== undefined) roles.push(`service:${caller.via}`);
      return roles;
    }
    case 'service':
      return ['service', `service:${caller.service}`];
    case 'client':
    case 'admin':
      return [caller.kind];
  }
}
