import { IdentityServiceService, ResolveNametagRequest } from '@daycare/contracts/identity';
import type { Workload } from '../workload';
import { connectIdentity, createUsers, takeInTurn } from './identity-users';

/** Each call finds one user by nametag. */
export const resolveNametagWorkload: Workload = {
  name: 'identity ResolveNametag',
  baseline: ['grpc-echo'],
  async prepare(stack) {
    const identity = connectIdentity(stack);
    const nextUser = takeInTurn(await createUsers(identity));
    return {
      async run() {
        const { id, nametag } = nextUser();
        const { user } = await identity.resolveNametag({ nametag });
        if (user?.id !== id) throw new Error(`ResolveNametag answered ${user?.id} for ${id}`);
      },
      literal: {
        address: stack.addressOf('identity'),
        metadata: stack.adminMetadata,
        path: IdentityServiceService.resolveNametag.path,
        message: ResolveNametagRequest.encode({ nametag: nextUser().nametag }).finish(),
      },
      close: async () => identity.close(),
    };
  },
};
