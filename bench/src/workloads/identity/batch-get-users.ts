import { BatchGetUsersRequest, IdentityServiceService } from '@daycare/contracts/identity';
import type { Workload } from '../../kit/workload';
import { connectIdentity, createUsers, roundRobin } from '../shared/identity-users';

const batchSize = 100;

/** Each call reads a hundred users by id. */
export const batchGetUsersWorkload: Workload = {
  name: `identity BatchGetUsers(${batchSize})`,
  baseline: ['grpc-echo'],
  async prepare(stack) {
    const identity = connectIdentity(stack);
    const nextUser = roundRobin(await createUsers(identity));
    const nextBatch = (): string[] => Array.from({ length: batchSize }, () => nextUser().id);
    return {
      async run() {
        const { users } = await identity.batchGetUsers({ userIds: nextBatch() });
        if (users.length !== batchSize)
          throw new Error(`BatchGetUsers returned ${users.length} users`);
      },
      literal: {
        address: stack.addressOf('identity'),
        metadata: stack.adminMetadata,
        path: IdentityServiceService.batchGetUsers.path,
        message: BatchGetUsersRequest.encode({ userIds: nextBatch() }).finish(),
      },
      close: async () => identity.close(),
    };
  },
};
