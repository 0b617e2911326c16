import { IdentityServiceService, type User as UserMessage } from '@daycare/contracts/identity';
import { implementService, type ServiceImplementation } from '@daycare/rpc';
import type { User } from '../domain/user';
import type { makeBatchGetUsers } from '../usecases/batch-get-users';
import type { makeCreateUser } from '../usecases/create-user';
import type { makeGetUser } from '../usecases/get-user';
import type { makeResolveNametag } from '../usecases/resolve-nametag';

export interface IdentityUsecases {
  readonly createUser: ReturnType<typeof makeCreateUser>;
  readonly getUser: ReturnType<typeof makeGetUser>;
  readonly batchGetUsers: ReturnType<typeof makeBatchGetUsers>;
  readonly resolveNametag: ReturnType<typeof makeResolveNametag>;
}

/** daycare.identity.v1.IdentityService: translation between messages and usecases, nothing else. */
export function identityHandler(usecases: IdentityUsecases): ServiceImplementation {
  return implementService('daycare.identity.v1.IdentityService', IdentityServiceService, {
    createUser: async (request) => ({ user: toMessage(await usecases.createUser(request)) }),
    getUser: async ({ userId }) => ({ user: toMessage(await usecases.getUser(userId)) }),
    batchGetUsers: async ({ userIds }) => ({
      users: (await usecases.batchGetUsers(userIds)).map(toMessage),
    }),
    resolveNametag: async ({ nametag }) => ({
      user: toMessage(await usecases.resolveNametag(nametag)),
    }),
  });
}

function toMessage({ id, nametag, name, createdAt }: User): UserMessage {
  return { id, nametag, name, parentUserId: '', description: '', createdAt };
}
