import { GetUserRequest, IdentityServiceService } from '@daycare/contracts/identity';
import { makeReadWorkload } from './read-user';

/** Each call reads one user by id. */
export const getUserWorkload = makeReadWorkload('identity GetUser', {
  path: IdentityServiceService.getUser.path,
  read: async (identity, { id: userId }) => (await identity.getUser({ userId })).user,
  encode: ({ id: userId }) => GetUserRequest.encode({ userId }).finish(),
});
