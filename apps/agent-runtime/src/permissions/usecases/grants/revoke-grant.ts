import { FieldChecks, notFound } from '@daycare/api';
import type { GrantStore } from '../../store/grant-store';

export interface RevokeGrantCall {
  readonly userId: string;
  readonly requestId: string;
  readonly grantId: string;
}

export interface RevokeGrantDeps {
  readonly grants: Pick<GrantStore, 'find' | 'revoke'>;
  readonly now: () => Date;
}

/**
 * Revokes a grant and the agent's other grants for the same permission or tool, so that the agent has to ask again. A
 * retry changes nothing, even after the same permission has been granted again.
 */
export function makeRevokeGrant({ grants, now }: RevokeGrantDeps) {
  return async ({ userId, requestId, grantId }: RevokeGrantCall): Promise<void> => {
    new FieldChecks().requestId(requestId).id(grantId, 'grant_id').done();
    const grant = await grants.find(userId, grantId);
    if (!grant) throw notFound('grant');
    if (!grant.isRevoked) await grants.revoke(grant, now());
  };
}
