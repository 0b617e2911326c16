import type { Logger } from '@daycare/rpc';
import type { Config } from './config';
import { OpenIdProtocol } from './oidc/openid-protocol';
import type { ConnectorKeyStore } from './store/connector-key-store';
import type { RevocationStore } from './store/revocation-store';
import type { SessionStore } from './store/session-store';
import type { PendingSignInStore } from './store/sign-in/pending-sign-in-store';
import type { PersonalTokenStore } from './store/sign-in/personal-token-store';
import type { SignInCodeStore } from './store/sign-in/sign-in-code-store';
import type { UserStore } from './store/user-store';
import type { SignInUsecases } from './usecases';
import type { InsertUser } from './usecases/insert-user';
import { makeResolveUser } from './usecases/resolve-connector-key';
import { makeCreateAccessToken } from './usecases/sign-in/create-access-token';
import { makeExchangeAccessToken } from './usecases/sign-in/exchange-access-token';
import { makeOidcSignIn } from './usecases/sign-in/oidc-sign-in';
import { makeRevokeAccessToken } from './usecases/sign-in/revoke-access-token';
import { makeSignInCodes } from './usecases/sign-in/sign-in-codes';
import type { TokenMint } from './usecases/tokens/token-mint';

export interface SignInStores {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly personalTokens: PersonalTokenStore;
  readonly revocations: RevocationStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly signInCodes: SignInCodeStore;
  readonly pendingSignIns: PendingSignInStore;
}

export interface SignInDeps {
  readonly mint: TokenMint;
  /** Whether the credential with which someone signed in is still configured. */
  readonly isInUse: (credentialId: string) => boolean;
  readonly longestTokenLifetimeMs: () => Promise<number>;
  readonly insertUser: InsertUser;
  readonly log: Logger;
}

const now = (): Date => new Date();

/**
 * Constructs the usecases for signing in with a one-time code or at an OpenID Connect provider, and for the personal
 * access tokens with which people let programs act for them.
 */
export function buildSignIn(
  { oidcProviders: providers }: Config,
  stores: SignInStores,
  { mint, isInUse, longestTokenLifetimeMs, insertUser, log }: SignInDeps,
): SignInUsecases {
  const { users, sessions, personalTokens, revocations, connectorKeys } = stores;
  const resolveUser = makeResolveUser({ users, connectorKeys, insertUser });
  const protocol = new OpenIdProtocol(log);
  return {
    createAccessToken: makeCreateAccessToken({
      users,
      sessions,
      personalTokens,
      revocations,
      now,
    }),
    listAccessTokens: (ownerKey) => personalTokens.list(ownerKey, now()),
    revokeAccessToken: makeRevokeAccessToken({ personalTokens, longestTokenLifetimeMs, now }),
    exchangeAccessToken: makeExchangeAccessToken({ users, personalTokens, mint, isInUse, now }),
    ...makeSignInCodes({
      users,
      sessions,
      codes: stores.signInCodes,
      revocations,
      mint,
      isInUse,
      longestTokenLifetimeMs,
      now,
    }),
    ...makeOidcSignIn({
      providers,
      pending: stores.pendingSignIns,
      protocol,
      resolveUser,
      sessions,
      revocations,
      mint,
      longestTokenLifetimeMs,
      now,
    }),
  };
}
