import type { Method } from '../transport/transport';

/** The RPCs whose request contains a secret. If one fails with UNAUTHENTICATED, that secret is not valid. */
const methodsWithSecret: ReadonlySet<string> = new Set([
  '/daycare.identity.v1.IdentityService/CompleteSignIn',
  '/daycare.identity.v1.IdentityService/ExchangeAccessToken',
  '/daycare.identity.v1.IdentityService/ExchangeSignInCode',
  '/daycare.identity.v1.IdentityService/RefreshToken',
  '/daycare.identity.v1.IdentityService/RevokeToken',
]);

/** Reports whether the request itself contains a secret, so that the call is made without the client's token. */
export function containsSecret({ path }: Method): boolean {
  return methodsWithSecret.has(path);
}
