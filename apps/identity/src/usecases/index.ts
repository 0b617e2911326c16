import type { makeBatchGetUsers } from './batch-get-users';
import type { makeCreateSubuser } from './create-subuser';
import type { makeCreateUser } from './create-user';
import type { makeDeleteUsers } from './delete-users';
import type { makeGetJwks } from './get-jwks';
import type { makeGetUser } from './get-user';
import type { makeIssueToken } from './issue-token';
import type { makeListSubusers } from './list-subusers';
import type { makeRefreshToken } from './refresh-token';
import type { makeRenameSubuser } from './rename-subuser';
import type { makeResolveConnectorKey } from './resolve-connector-key';
import type { makeResolveNametag } from './resolve-nametag';
import type { makeRevokeToken } from './revoke-token';

/** Everything identity can do. */
export interface IdentityUsecases
  extends ReturnType<typeof makeDeleteUsers>, ReturnType<typeof makeGetJwks> {
  readonly createUser: ReturnType<typeof makeCreateUser>;
  readonly getUser: ReturnType<typeof makeGetUser>;
  readonly batchGetUsers: ReturnType<typeof makeBatchGetUsers>;
  readonly resolveNametag: ReturnType<typeof makeResolveNametag>;
  readonly resolveConnectorKey: ReturnType<typeof makeResolveConnectorKey>;
  readonly createSubuser: ReturnType<typeof makeCreateSubuser>;
  readonly listSubusers: ReturnType<typeof makeListSubusers>;
  readonly renameSubuser: ReturnType<typeof makeRenameSubuser>;
  readonly issueToken: ReturnType<typeof makeIssueToken>;
  readonly refreshToken: ReturnType<typeof makeRefreshToken>;
  readonly revokeToken: ReturnType<typeof makeRevokeToken>;
}
