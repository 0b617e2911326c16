import { GetUserRequest, IdentityServiceService } from '@daycare/contracts/identity';
import type { Workload } from '../workload';
import { connectIdentity, createUsers, takeInTurn } from './identity-users';

/** Each call reads one user by id. */
export const getUserWorkload: Workload = {
  name: 'identity GetUser',
  baseline: ['grpc-echo'],
  async prepare(stack) {
    const identity = connectIdentity(stack);
    const nextUser = takeInTurn(await createUsers(identity));
    return {
      async run() {
        const { id: userId } = nextUser();
        const { user } = await identity.getUser({ userId });
        if (user?.id !== userId) throw new Error(`GetUser answered ${user?.id} for ${userId}`);
      },
      literal: {
        address: stack.addressOf('identity'),
        metadata: stack.adminMetadata,
        path: IdentityServiceService.getUser.path,
        message: GetUserRequest.encode({ userId: nextUser().id }).finish(),
      },
      close: async () => identity.close(),
    };
  },
};
