import type { Workload } from '../../kit/workload';
import { connectIdentity, createUser } from '../shared/identity-users';

/** Each call creates another user: one validated request, one insert under two unique indexes. */
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
