import type { Role } from '@daycare/contracts/access';
import type { ScopeRule, TokenScope } from '@daycare/contracts/scopes';
import { AppError } from '@daycare/api';
import type { Caller } from '../shared/call-context';

/**
 * Returns the check for one RPC. Unless anyone may call the RPC, it throws if none of the caller's roles may, or if the
 * caller's token is limited to scopes and lacks the scope that the RPC requires.
 */
export function makeAuthorise(access: readonly Role[], scope: ScopeRule): (caller: Caller) => void {
  const allowed: ReadonlySet<string> = new Set(access);
  const isOpen = allowed.has('anyone');
  return (caller) => {
    if (isOpen) return;
    if (caller.kind === 'anonymous') throw new AppError('UNAUTHENTICATED', 'A token is required');
    if (!mayCall(allowed, caller))
      throw new AppError('PERMISSION_DENIED', 'You are not allowed to call this method');
    if ('scopes' in caller) assertScope(scope, caller.kind, caller.scopes);
  };
}

/** Operators have no agents, friends or subusers of their own, so one scope covers everything that they may do. */
function assertScope(rule: ScopeRule, kind: 'user' | 'admin', scopes: readonly TokenScope[]): void {
  if (rule === 'none')
    throw new AppError(
      'PERMISSION_DENIED',
      'This method requires a sign-in; personal access tokens cannot call it',
    );
  const needed = kind === 'admin' ? 'admin' : rule;
  if (needed === 'any' || scopes.includes(needed)) return;
  throw new AppError('PERMISSION_DENIED', `The access token lacks the scope "${needed}"`);
}

function mayCall(
  allowed: ReadonlySet<string>,
  caller: Exclude<Caller, { kind: 'anonymous' }>,
): boolean {
  switch (caller.kind) {
    case 'user': {
      const isSubuser = caller.parentUserId !== undefined;
      if (allowed.has(isSubuser ? 'subuser' : 'user')) return true;
      // A call through a service is never a person's; otherwise a service's secret would suffice to act as any person.
      const isPerson = !isSubuser && caller.agentId === undefined && caller.via === undefined;
      if (isPerson && allowed.has('person')) return true;
      if (!isSubuser && caller.via !== undefined && allowed.has(`user:${caller.via}`)) return true;
      // A service that acts for a user may still call RPCs whose access names this service.
      return caller.via !== undefined && allowed.has(`service:${caller.via}`);
    }
    case 'service':
      return allowed.has('service') || allowed.has(`service:${caller.service}`);
    case 'client':
    case 'admin':
      return allowed.has(caller.kind);
  }
}
