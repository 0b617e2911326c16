import { IdentityServiceService, ResolveNametagRequest } from '@daycare/contracts/identity';
import { makeReadWorkload } from './read-user';

/** Each call finds one user by nametag. */
export const resolveNametagWorkload = makeReadWorkload('identity ResolveNametag', {
  path: IdentityServiceService.resolveNametag.path,
  read: async (identity, { nametag }) => (await identity.resolveNametag({ nametag })).user,
  encode: ({ nametag }) => ResolveNametagRequest.encode({ nametag }).finish(),
});
