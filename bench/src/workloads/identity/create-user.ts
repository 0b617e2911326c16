import type { Workload } from '../../kit/workload';
import { connectIdentity, createUser } from '../shared/identity-users';

/** Each call creates another user: one transaction inserts the user, its nametag and the creating request. */
export const createUserWorkload: Workload = {
  name: 'identity CreateUser',
  baseline: ['mongo-insert', 'grpc-echo'],
  async prepare(stack) {
    const identity = connectIdentity(stack);
    return {
      run: () => createUser(identity),
      close: async () => identity.close(),
    };
  },
};
