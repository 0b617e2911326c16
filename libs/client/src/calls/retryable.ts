import type { Method } from '../transport/transport';

/**
 * The public RPCs that the contracts do not mark as safe to retry, except those that stream requests. A test compares
 * this list with the contracts.
 */
export const notRetryable: ReadonlySet<string> = new Set([
  '/daycare.agent_runtime.v1.AgentRuntimeService/TestModel',
  '/daycare.identity.v1.IdentityService/BeginSignIn',
  '/daycare.identity.v1.IdentityService/CompleteSignIn',
  '/daycare.identity.v1.IdentityService/CreateSignInCode',
  '/daycare.identity.v1.IdentityService/ExchangeSignInCode',
  '/daycare.identity.v1.IdentityService/IssueToken',
  '/daycare.identity.v1.IdentityService/RefreshToken',
  '/daycare.identity.v1.IdentityService/RevokeSessions',
]);

export function isRetryable({ path, requestStream }: Method): boolean {
  return !requestStream && !notRetryable.has(path);
}
