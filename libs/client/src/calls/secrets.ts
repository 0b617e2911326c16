import type { Method } from '../transport/transport';

/** The RPCs whose request holds a secret. When they answer UNAUTHENTICATED, that secret is not valid. */
const withSecret: ReadonlySet<string> = new Set([
  '/daycare.identity.v1.IdentityService/CompleteSignIn',
  '/daycare.identity.v1.IdentityService/ExchangeAccessToken',
  '/daycare.identity.v1.IdentityService/ExchangeSignInCode',
  '/daycare.identity.v1.IdentityService/RefreshToken',
  '/daycare.identity.v1.IdentityService/RevokeToken',
]);

/** Whether the request itself holds the secret, so that the call is made without the token of the client. */
export function holdsSecret({ path }: Method): boolean {
  return withSecret.has(path);
}
