import { FieldChecks, notFound } from '@daycare/api';
import {
  checkGrantEnd,
  decide,
  deciderOf,
  type PermissionDecision,
  type PermissionRequest,
} from '../domain/permission';
import type { PermissionStore, StoredPermission } from '../store/permission-store';
import { findRequester, type RequesterDeps } from './find-requester';
import type { FollowUpPermission } from './follow-up-permission';
import type { AgentAddress, RankForeground } from '../../agents';

export interface DecidePermissionCall {
  readonly userId: string;
  readonly requestId: string;
  readonly permissionRequestId: string;
  readonly decision: PermissionDecision;
  /** When the grant ends; undefined when it lasts until it is revoked. */
  readonly grantUntil?: Date | undefined;
}

export interface DecidePermissionDeps extends RequesterDeps {
  readonly permissions: PermissionStore;
  readonly rankForeground: RankForeground;
  readonly followUp: FollowUpPermission;
  /** Sends hints to the request's watchers: users who may see it, and the client of the connector that shows it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

/**
 * Decides a request made by one of the caller's agents or by an agent of one of the caller's subusers. Returns the
 * request as it is afterwards, since only the first decision takes effect. The consequences are carried out before this
 * returns; if that is interrupted, a retry or the sweep completes them.
 */
export function makeDecidePermission(deps: DecidePermissionDeps) {
  return async (call: DecidePermissionCall): Promise<PermissionRequest> => {
    const { userId, permissionRequestId: id } = call;
    new FieldChecks().requestId(call.requestId).id(id, 'permission_request_id').done();
    const found = await deps.permissions.find(userId, id, deps.now());
    if (!found) throw notFound('permission request');
    checkGrantEnd(found, call, deps.now());
    const changed = await change(deps, found, call);
    if (changed) deps.hintReaders(changed);
    // Another caller may have decided in the meantime.
    const request = changed ?? (await deps.permissions.find(userId, id, deps.now())) ?? found;
    await deps.followUp(request);
    return request;
  };
}

/** Applies a decision. Returns the changed request, or undefined when nothing changes or another caller was faster. */
async function change(
  deps: DecidePermissionDeps,
  request: StoredPermission,
  { decision, grantUntil }: DecidePermissionCall,
): Promise<StoredPermission | undefined> {
  const isRemembered = (await findRequester(deps, request)) !== undefined;
  const effect = decide(request, decision, isRemembered, deps.now());
  switch (effect.kind) {
    case 'stands':
      return undefined;
    case 'expires':
      return deps.permissions.expire(request, deps.now());
    case 'becomes': {
      const decisionTo = await findAgentsToNotify(deps, request);
      const decided = { state: effect.state, decision, grantUntil, decisionTo };
      return deps.permissions.decide(request, decided, deps.now());
    }
  }
}

/**
 * Returns the agent that was notified of the request and the one that is talking with the user now, often the same
 * agent; never the requester itself.
 */
async function findAgentsToNotify(
  { rankForeground }: DecidePermissionDeps,
  request: PermissionRequest,
): Promise<AgentAddress[]> {
  const [foregroundAgent] = await rankForeground(deciderOf(request));
  const recipients = new Map<string, AgentAddress>();
  if (request.presentedTo) recipients.set(request.presentedTo.agentId, request.presentedTo);
  if (foregroundAgent)
    recipients.set(foregroundAgent.id, {
      agentId: foregroundAgent.id,
      userId: foregroundAgent.userId,
    });
  recipients.delete(request.agentId);
  return [...recipients.values()];
}
