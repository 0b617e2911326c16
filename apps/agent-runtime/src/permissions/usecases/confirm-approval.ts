import { messageIdOf } from '@daycare/api';
import type { Agent } from '../../agents';
import type { GrantStore } from '../store/grant-store';
import type { PermissionStore } from '../store/permission-store';

export interface ConfirmApprovalDeps {
  readonly permissions: Pick<PermissionStore, 'find'>;
  readonly grants: Pick<GrantStore, 'find'>;
  readonly now: () => Date;
}

/** Returns the id of the grant that a request leads to. */
export function grantIdOf(permissionRequestId: string): string {
  return messageIdOf('grant', permissionRequestId);
}

/**
 * Reports whether an approval is still valid when its call is about to run; an "always" grant may have been revoked.
 */
export function makeConfirmApproval({ permissions, grants, now }: ConfirmApprovalDeps) {
  return async (
    { id: agentId, userId }: Pick<Agent, 'id' | 'userId'>,
    permissionRequestId: string,
  ): Promise<boolean> => {
    const request = await permissions.find(userId, permissionRequestId, now());
    if (request?.agentId !== agentId || request.state !== 'granted') return false;
    if (request.decision !== 'always') return true;
    const grant = await grants.find(userId, grantIdOf(permissionRequestId));
    return grant !== undefined && !grant.isRevoked;
  };
}
