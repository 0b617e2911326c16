import type { Method } from '../transport/transport';

/** The RPCs that exchange a secret of the request for tokens. When they answer UNAUTHENTICATED, that secret is not valid. */
const exchanges: ReadonlySet<string> = new Set([
  '/daycare.identity.v1.IdentityService/CompleteSignIn',
  '/daycare.identity.v1.IdentityService/ExchangeAccessToken',
  '/daycare.identity.v1.IdentityService/ExchangeSignInCode',
  '/daycare.identity.v1.IdentityService/RefreshToken',
]);

/** Whether the request itself holds the secret, so that the call is made without the token of the client. */
export function holdsSecret({ path }: Method): boolean {
  return exchanges.has(path);
}
