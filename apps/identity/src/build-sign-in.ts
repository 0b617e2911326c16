import type { buildTokens } from './build-tokens';
import type { Config } from './config';
import { OpenIdProtocol } from './oidc/openid-protocol';
import type { ConnectorKeyStore } from './store/connector-key-store';
import type { PendingSignInStore } from './store/sign-in/pending-sign-in-store';
import type { SignInCodeStore } from './store/sign-in/sign-in-code-store';
import type { SignInUsecases } from './usecases';
import type { InsertUser } from './usecases/insert-user';
import { makeResolveUser } from './usecases/resolve-connector-key';
import { makeCreateAccessToken } from './usecases/sign-in/create-access-token';
import { makeExchangeAccessToken } from './usecases/sign-in/exchange-access-token';
import { makeOidcSignIn } from './usecases/sign-in/oidc-sign-in';
import { makeRevokeAccessToken } from './usecases/sign-in/revoke-access-token';
import { makeSignInCodes } from './usecases/sign-in/sign-in-codes';

export interface SignInStores {
  readonly connectorKeys: ConnectorKeyStore;
  readonly signInCodes: SignInCodeStore;
  readonly pendingSignIns: PendingSignInStore;
}

/** What the usecases for signing in need from those for tokens and sessions. */
type SignInDeps = Awaited<ReturnType<typeof buildTokens>>['signInDeps'];

/**
 * Constructs the usecases for every way to sign in, and for the tokens and codes with which someone who has
 * signed in lets a program or a browser act for them.
 */
export function buildSignIn(
  { oidcProviders: providers }: Config,
  { connectorKeys, signInCodes: codes, pendingSignIns: pending }: SignInStores,
  signInDeps: SignInDeps,
  insertUser: InsertUser,
): SignInUsecases {
  const { users, personalTokens, now } = signInDeps;
  const resolveUser = makeResolveUser({ users, connectorKeys, insertUser });
  const protocol = new OpenIdProtocol();
  return {
    createAccessToken: makeCreateAccessToken(signInDeps),
    listAccessTokens: (ownerKey) => personalTokens.list(ownerKey, now()),
    revokeAccessToken: makeRevokeAccessToken(signInDeps),
    exchangeAccessToken: makeExchangeAccessToken(signInDeps),
    ...makeSignInCodes({ ...signInDeps, codes }),
    ...makeOidcSignIn({ ...signInDeps, providers, pending, protocol, resolveUser }),
  };
}
