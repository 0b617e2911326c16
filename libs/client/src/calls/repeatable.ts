import type { Method } from '../transport/transport';

/**
 * The RPCs that the contracts do not mark as safe to repeat; a test compares this list with the contracts.
 */
export const notRepeatable: ReadonlySet<string> = new Set([
  '/daycare.agent_runtime.v1.AgentRuntimeService/TestModel',
  '/daycare.identity.v1.IdentityService/BeginSignIn',
  '/daycare.identity.v1.IdentityService/CompleteSignIn',
  '/daycare.identity.v1.IdentityService/CreateSignInCode',
  '/daycare.identity.v1.IdentityService/ExchangeSignInCode',
  '/daycare.identity.v1.IdentityService/IssueToken',
  '/daycare.identity.v1.IdentityService/RefreshToken',
  '/daycare.identity.v1.IdentityService/RevokeSessions',
]);

export function isRepeatable({ path, requestStream }: Method): boolean {
  return !requestStream && !notRepeatable.has(path);
}
