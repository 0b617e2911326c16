import type { StatusReport } from '@daycare/service-kit';
import type { makeBatchGetUsers } from './batch-get-users';
import type { makeCreateSubuser } from './create-subuser';
import type { makeCreateUser } from './create-user';
import type { makeDeleteUsers } from './delete-users';
import type { makeGetJwks } from './tokens/get-jwks';
import type { makeGetUser } from './get-user';
import type { makeIssueToken } from './tokens/issue-token';
import type { makeManageSessions } from './tokens/manage-sessions';
import type { SigningKeys } from './tokens/signing-keys';
import type { makeCreateAccessToken } from './sign-in/create-access-token';
import type { makeSignInCodes } from './sign-in/sign-in-codes';
import type { makeOidcSignIn } from './sign-in/oidc-sign-in';
import type { makeExchangeAccessToken } from './sign-in/exchange-access-token';
import type { makeRevokeAccessToken } from './sign-in/revoke-access-token';
import type { PersonalToken } from '../domain/sign-in/personal-token';
import type { makeListSubusers } from './list-subusers';
import type { makeListUsers } from './list-users';
import type { makeRefreshToken } from './tokens/refresh-token';
import type { makeRenameSubuser } from './rename-subuser';
import type { makeResolveConnectorKey } from './resolve-connector-key';
import type { makeResolveNametag } from './resolve-nametag';
import type { makeRevokeToken } from './tokens/revoke-token';
import type { makeUpdateUser } from './update-user';

export interface UserUsecases extends ReturnType<typeof makeDeleteUsers> {
  readonly createUser: ReturnType<typeof makeCreateUser>;
  readonly getUser: ReturnType<typeof makeGetUser>;
  readonly listUsers: ReturnType<typeof makeListUsers>;
  readonly batchGetUsers: ReturnType<typeof makeBatchGetUsers>;
  readonly resolveNametag: ReturnType<typeof makeResolveNametag>;
  readonly resolveConnectorKey: ReturnType<typeof makeResolveConnectorKey>;
  readonly createSubuser: ReturnType<typeof makeCreateSubuser>;
  readonly listSubusers: ReturnType<typeof makeListSubusers>;
  readonly renameSubuser: ReturnType<typeof makeRenameSubuser>;
  readonly updateUser: ReturnType<typeof makeUpdateUser>;
}

export interface TokenUsecases
  extends ReturnType<typeof makeGetJwks>, ReturnType<typeof makeManageSessions> {
  readonly issueToken: ReturnType<typeof makeIssueToken>;
  readonly refreshToken: ReturnType<typeof makeRefreshToken>;
  readonly revokeToken: ReturnType<typeof makeRevokeToken>;
  readonly rotateSigningKey: SigningKeys['rotate'];
}

export interface SignInUsecases
  extends ReturnType<typeof makeSignInCodes>, ReturnType<typeof makeOidcSignIn> {
  readonly createAccessToken: ReturnType<typeof makeCreateAccessToken>;
  /** Lists a user's personal access tokens, or those of all operators if the key is `admin`. */
  readonly listAccessTokens: (ownerKey: string) => Promise<readonly PersonalToken[]>;
  readonly revokeAccessToken: ReturnType<typeof makeRevokeAccessToken>;
  readonly exchangeAccessToken: ReturnType<typeof makeExchangeAccessToken>;
}

/** Everything that callers can request from identity. */
export interface IdentityUsecases {
  readonly signIn: SignInUsecases;
  readonly users: UserUsecases;
  readonly tokens: TokenUsecases;
  /** The RPCs for operators that every service has. */
  readonly status: StatusReport['handlers'];
}
