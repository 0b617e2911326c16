import { FieldChecks, messageIdOf } from '@daycare/api';
import type { Agent } from '../../agents';
import { checkPermission, type RequestingTurn, type PermissionRequest } from '../domain/permission';
import { submitRequest, type SubmitDeps } from './submit-request';

export interface RequestPermissionCall {
  /** The requesting agent. */
  readonly agent: Agent;
  readonly requestId: string;
  readonly permission: string;
  readonly reason: string;
  /** The turn in which the agent asks; absent when the request is made outside any turn. */
  readonly askedIn?: RequestingTurn | undefined;
}

/**
 * Submits an agent's permission request to the user who decides. A retry, or a request for a permission that is
 * already pending, creates no second request. Throws QUOTA_EXCEEDED when too many are pending.
 */
export type RequestPermission = (call: RequestPermissionCall) => Promise<PermissionRequest>;

export function makeRequestPermission(deps: SubmitDeps): RequestPermission {
  return async ({ agent, requestId, permission, reason: untrimmedReason, askedIn }) => {
    const checks = new FieldChecks().requestId(requestId);
    checkPermission({ permission, reason: untrimmedReason }, checks);
    checks.done();
    const reason = untrimmedReason.trim();
    const id = messageIdOf('permission', agent.id, requestId, permission, reason);
    return submitRequest(deps, { id, agent, permission, reason, call: undefined, askedIn });
  };
}
