import { FieldChecks, notFound } from '@daycare/api';
import { endPersonalToken, type EndTokensDeps } from '../tokens/end-personal-tokens';

/** Ends an owner's token and the access tokens issued for it; a retry within an hour succeeds like the first call. */
export function makeRevokeAccessToken(deps: EndTokensDeps) {
  return async (ownerKey: string, tokenId: string): Promise<void> => {
    new FieldChecks().id(tokenId, 'token_id').done();
    if (!(await endPersonalToken(deps, ownerKey, tokenId))) throw notFound('token');
  };
}
