import { FieldChecks, notFound } from '@daycare/errors';
import type { AgentAddress } from '../domain/inbox-item';
import {
  decide,
  deciderOf,
  type PermissionDecision,
  type PermissionRequest,
} from '../domain/permission';
import type { PermissionStore, StoredPermission } from '../store/permission-store';
import { findAsker, type AskerDeps } from './find-asker';
import type { FollowUpPermission } from './follow-up-permission';
import type { RankForeground } from './rank-foreground';

export interface DecidePermissionCall {
  readonly userId: string;
  readonly requestId: string;
  readonly permissionRequestId: string;
  readonly decision: PermissionDecision;
}

export interface DecidePermissionDeps extends AskerDeps {
  readonly permissions: PermissionStore;
  readonly rankForeground: RankForeground;
  readonly followUp: FollowUpPermission;
  /** Has those who may see a request look at it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly now: () => Date;
}

/**
 * Decides about a request of an agent of the caller or of one of its subusers, and answers how it
 * stands then: the first decision counts. What follows from it is done before the answer; should that
 * be cut off, a repetition finishes it, or whoever sweeps.
 */
export function makeDecidePermission(deps: DecidePermissionDeps) {
  return async (call: DecidePermissionCall): Promise<PermissionRequest> => {
    const { userId, permissionRequestId: id } = call;
    new FieldChecks().requestId(call.requestId).id(id, 'permission_request_id').done();
    const found = await deps.permissions.find(userId, id, deps.now());
    if (!found) throw notFound('permission request');
    const changed = await change(deps, found, call.decision);
    if (changed) deps.hintReaders(changed);
    // Somebody else may have decided in the meantime.
    const request = changed ?? (await deps.permissions.find(userId, id, deps.now())) ?? found;
    await deps.followUp(request);
    return request;
  };
}

/** Undefined when the request stands as it is, or somebody else was faster. */
async function change(
  deps: DecidePermissionDeps,
  request: StoredPermission,
  decision: PermissionDecision,
): Promise<StoredPermission | undefined> {
  const isRemembered = (await findAsker(deps, request)) !== undefined;
  const verdict = decide(request, decision, isRemembered, deps.now());
  switch (verdict.kind) {
    case 'stands':
      return undefined;
    case 'lapses':
      return deps.permissions.lapse(request, deps.now());
    case 'becomes': {
      const decisionTo = await findHearers(deps, request);
      return deps.permissions.decide(request, { state: verdict.state, decisionTo }, deps.now());
    }
  }
}

/** The one that heard of the request, and the one that talks with the user now; often the same. */
async function findHearers(
  { rankForeground }: DecidePermissionDeps,
  request: PermissionRequest,
): Promise<AgentAddress[]> {
  const [talker] = await rankForeground(deciderOf(request));
  const hearers = new Map<string, AgentAddress>();
  if (request.presentedTo) hearers.set(request.presentedTo.agentId, request.presentedTo);
  if (talker) hearers.set(talker.id, { agentId: talker.id, userId: talker.userId });
  hearers.delete(request.agentId);
  return [...hearers.values()];
}
