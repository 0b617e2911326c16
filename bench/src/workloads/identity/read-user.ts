import type { User } from '@daycare/contracts/identity';
import type { Workload } from '../../kit/workload';
import {
  connectIdentity,
  createUsers,
  roundRobin,
  type IdentityClient,
} from '../shared/identity-users';

interface ReadCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly read: (identity: IdentityClient, user: User) => Promise<User | undefined>;
  /** The request as bytes, for h2load. */
  readonly encode: (user: User) => Uint8Array;
}

/** Returns a workload in which each call reads one of many users; it fails if a call returns another user. */
export function makeReadWorkload(name: string, { path, read, encode }: ReadCall): Workload {
  return {
    name,
    baseline: ['grpc-echo'],
    reach: [64],
    async prepare(stack) {
      const identity = connectIdentity(stack);
      const nextUser = roundRobin(await createUsers(identity));
      return {
        async run() {
          const expected = nextUser();
          const user = await read(identity, expected);
          if (user?.id !== expected.id)
            throw new Error(`${name} returned ${user?.id} for ${expected.id}`);
        },
        literal: {
          address: stack.addressOf('identity'),
          metadata: stack.adminMetadata,
          path,
          message: encode(nextUser()),
        },
        close: async () => identity.close(),
      };
    },
  };
}
