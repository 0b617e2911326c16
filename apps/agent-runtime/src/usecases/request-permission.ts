import { FieldChecks } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { connectorTargetOf, labelOf } from '../domain/descriptor-kinds';
import { checkPermission, deciderOf, type PermissionRequest } from '../domain/permission';
import type { HistoryStore } from '../store/history-store';
import type { PermissionStore } from '../store/permission-store';
import { contextFromOf } from './find-asker';
import type { FollowUpPermission } from './follow-up-permission';
import { messageIdOf } from './message-id';
import type { RankForeground } from './rank-foreground';

export interface RequestPermissionCall {
  /** The agent that asks. */
  readonly agent: Agent;
  readonly requestId: string;
  readonly permission: string;
  readonly reason: string;
}

export interface RequestPermissionDeps {
  readonly permissions: PermissionStore;
  readonly history: HistoryStore;
  readonly rankForeground: RankForeground;
  readonly followUp: FollowUpPermission;
  /** Has those who may see a request look at it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly permissionTtlMs: number;
  readonly now: () => Date;
}

/** Puts a wish of an agent to the user who decides. Asking again with the same id asks once. */
export type RequestPermission = (call: RequestPermissionCall) => Promise<PermissionRequest>;

export function makeRequestPermission(deps: RequestPermissionDeps): RequestPermission {
  return async (call) => {
    const checks = new FieldChecks().requestId(call.requestId);
    checkPermission(call, checks);
    checks.done();
    const request = await deps.permissions.create(await draftOf(deps, call));
    deps.hintReaders(request);
    await deps.followUp(request);
    return request;
  };
}

async function draftOf(
  deps: RequestPermissionDeps,
  { agent, requestId, permission, reason: words }: RequestPermissionCall,
): Promise<PermissionRequest> {
  const { id: agentId, userId, ownerUserId } = agent;
  const reason = words.trim();
  const createdAt = deps.now();
  return {
    id: messageIdOf('permission', agentId, requestId, permission, reason),
    userId,
    ownerUserId,
    agentId,
    agentLabel: labelOf(agent.descriptor),
    contextFrom: await contextFromOf(deps, agentId),
    permission,
    reason,
    state: 'pending',
    ...(await placeOf(deps, agent)),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + deps.permissionTtlMs),
    decidedAt: undefined,
    decisionTo: [],
  };
}

/** Subusers have no foreground agents: what their agents ask is shown where the owner talks. */
async function placeOf(
  { rankForeground }: RequestPermissionDeps,
  agent: Agent,
): Promise<Pick<PermissionRequest, 'target' | 'presentedTo'>> {
  const [talker] = await rankForeground(deciderOf(agent));
  if (!talker) return { target: undefined, presentedTo: undefined };
  const address = { agentId: talker.id, userId: talker.userId };
  return {
    target: connectorTargetOf(talker.descriptor),
    presentedTo: talker.id === agent.id ? undefined : address,
  };
}
