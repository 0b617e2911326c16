import { FieldChecks, notFound } from '@daycare/api';
import { endPersonalToken, type EndTokensDeps } from '../tokens/end-personal-tokens';

/** Ends a token of an owner, with everything issued for it; answers a retry like the first call. */
export function makeRevokeAccessToken(deps: EndTokensDeps) {
  return async (ownerKey: string, tokenId: string): Promise<void> => {
    new FieldChecks().id(tokenId, 'token_id').done();
    if (!(await endPersonalToken(deps, ownerKey, tokenId))) throw notFound('token');
  };
}
