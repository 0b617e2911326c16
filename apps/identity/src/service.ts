import { randomInt } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import { openMongo, type BuiltService, type ServiceKit } from '@daycare/service-kit';
import type { Config } from './config';
import { identityHandler } from './rpc/identity-handler';
import { userIndexes, UserStore } from './store/user-store';
import { makeBatchGetUsers } from './usecases/batch-get-users';
import { makeCreateUser } from './usecases/create-user';
import { makeGetUser } from './usecases/get-user';
import { makeResolveNametag } from './usecases/resolve-nametag';

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const { db } = await openMongo(config, 'identity', [userIndexes], kit);
  const users = new UserStore(db);
  const handler = identityHandler({
    createUser: makeCreateUser({
      users,
      newId: createId,
      now: () => new Date(),
      draw: (below) => randomInt(below),
    }),
    getUser: makeGetUser({ users }),
    batchGetUsers: makeBatchGetUsers({ users }),
    resolveNametag: makeResolveNametag({ users }),
  });
  return { services: [handler] };
}
