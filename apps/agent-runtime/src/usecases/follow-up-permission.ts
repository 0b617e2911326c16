import type { AgentAddress } from '../domain/inbox-item';
import type { PermissionRequest } from '../domain/permission';
import { decidedNotice, presentedNotice } from '../domain/permission-wording';
import type { AgentStore } from '../store/agent-store';
import type { PermissionStore, StoredPermission } from '../store/permission-store';
import { findAsker, type AskerDeps } from './find-asker';
import { messageIdOf } from './message-id';
import type { PutItems } from './put-items';
import type { TellAgent } from './tell-agent';

export interface FollowUpDeps extends AskerDeps {
  readonly permissions: PermissionStore;
  readonly agents: AgentStore;
  readonly putItems: PutItems;
  readonly tellAgent: TellAgent;
}

/**
 * Does what follows from a request as it is stored: the agent that talks with the user hears of it, and
 * the agent that asked gets the decision. Any number may do this at once or again; it happens once.
 */
export type FollowUpPermission = (request: StoredPermission) => Promise<void>;

export function makeFollowUpPermission(deps: FollowUpDeps): FollowUpPermission {
  return async (request) => {
    if (!request.owedSince) return;
    if (request.state !== 'expired') await present(deps, request);
    if (request.decidedAt) {
      await apply(deps, request, request.decidedAt);
      await announce(deps, request);
    }
    await deps.permissions.settle(request);
  };
}

export interface FinishDeps {
  readonly permissions: PermissionStore;
  readonly followUp: FollowUpPermission;
  readonly now: () => Date;
}

const leftAloneMs = 5_000;
const finishedAtOnce = 100;

/**
 * Finishes what somebody who died had begun. To be run every few seconds by every replica; rejects
 * after having tried all when some could not be finished.
 */
export function makeFinishPermissions({ permissions, followUp, now }: FinishDeps) {
  return async (): Promise<void> => {
    const before = new Date(now().getTime() - leftAloneMs);
    const owed = await permissions.listOwed(before, finishedAtOnce);
    const outcomes = await Promise.allSettled(owed.map(followUp));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}

async function present({ tellAgent }: FollowUpDeps, request: PermissionRequest): Promise<void> {
  if (!request.presentedTo) return;
  await tellAgent(request.presentedTo, notice('presented', request, request.presentedTo));
}

async function apply(
  deps: FollowUpDeps,
  request: PermissionRequest,
  decidedAt: Date,
): Promise<void> {
  const agent = await findAsker(deps, request);
  if (!agent) return;
  const { id: permissionRequestId, permission, contextFrom, state } = request;
  const granted = state === 'granted';
  // Before the agent hears of it, so that it can make use of it at once.
  if (granted) await deps.agents.grant(agent, permission);
  const messageId = messageIdOf('permission-decision', permissionRequestId);
  const common = { agentId: agent.id, userId: agent.userId, messageId, acceptedAt: decidedAt };
  const decision = { permissionRequestId, permission, granted, contextFrom };
  await deps.putItems([{ agent, item: { kind: 'permission_decision', ...common, ...decision } }]);
}

async function announce({ tellAgent }: FollowUpDeps, request: PermissionRequest): Promise<void> {
  for (const to of request.decisionTo) await tellAgent(to, notice('decided', request, to));
}

function notice(what: 'presented' | 'decided', request: PermissionRequest, to: AgentAddress) {
  return {
    messageId: messageIdOf('permission', what, request.id, to.agentId),
    senderUserId: request.userId,
    origin: 'system',
    text: what === 'presented' ? presentedNotice(request) : decidedNotice(request),
    hops: 0,
    silent: true,
  };
}
