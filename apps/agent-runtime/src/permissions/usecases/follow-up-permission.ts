import { lowestTrust, messageIdOf } from '@daycare/api';
import type { AgentAddress } from '../../agents';
import type { AskingTurn, DeliverToAgent, PlaceItems } from '../../messaging';
import { grantOf } from '../domain/grant';
import type { RequestingTurn, PermissionRequest } from '../domain/permission';
import { decidedNotice, presentedNotice } from '../domain/permission-wording';
import type { GrantStore } from '../store/grant-store';
import type { PermissionStore, StoredPermission } from '../store/permission-store';
import { grantIdOf } from './confirm-approval';
import { findRequester, type RequesterDeps } from './find-requester';

export interface FollowUpDeps extends RequesterDeps {
  readonly permissions: PermissionStore;
  readonly grants: Pick<GrantStore, 'add'>;
  readonly placeItems: PlaceItems;
  readonly deliverToAgent: DeliverToAgent;
}

/**
 * Carries out the outstanding consequences of a stored request: notifies the agent in `presentedTo`, unless the request
 * has expired, and, after a decision, stores the grant, if any, sends the decision to the requester and notifies the
 * agents in `decisionTo`. A requester that was reset or ended after asking gets neither the grant nor the decision.
 * Concurrent and repeated calls take effect only once.
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

const followUpDelayMs = 5_000;
const followUpBatch = 100;

/**
 * Completes consequences that a crashed process left unfinished, up to 100 at a time. Run every few seconds by every
 * replica. Tries all of these, then rejects if any could not be completed.
 */
export function makeFinishPermissions({ permissions, followUp, now }: FinishDeps) {
  return async (): Promise<void> => {
    const before = new Date(now().getTime() - followUpDelayMs);
    const outstanding = await permissions.listOutstanding(before, followUpBatch);
    const outcomes = await Promise.allSettled(outstanding.map(followUp));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}

async function present(
  { deliverToAgent }: FollowUpDeps,
  request: PermissionRequest,
): Promise<void> {
  if (!request.presentedTo) return;
  await deliverToAgent(request.presentedTo, notice('presented', request, request.presentedTo));
}

async function apply(
  deps: FollowUpDeps,
  request: PermissionRequest,
  decidedAt: Date,
): Promise<void> {
  const agent = await findRequester(deps, request);
  if (!agent) return;
  const { id: permissionRequestId, permission, contextFrom, state, call, askedIn } = request;
  const granted = state === 'granted';
  // The grant is stored before the agent is notified, so that the agent can use it immediately.
  const grant = grantOf(request, grantIdOf(permissionRequestId));
  if (grant) await deps.grants.add(grant);
  const messageId = messageIdOf('permission-decision', permissionRequestId);
  const common = { agentId: agent.id, userId: agent.userId, messageId, acceptedAt: decidedAt };
  const decision = {
    permissionRequestId,
    permission,
    granted,
    contextFrom,
    ...(call ? { call } : {}),
    ...(askedIn ? { askedIn: turnOf(askedIn) } : {}),
  };
  await deps.placeItems([
    { recipients: [agent], item: { kind: 'permission_decision', ...common, ...decision } },
  ]);
}

function turnOf({
  trust,
  readPrivate,
  foreignWriter,
  hasReadForeign,
  startedBy,
  hops,
}: RequestingTurn): AskingTurn {
  return {
    trust,
    readPrivate,
    ...(foreignWriter === undefined ? {} : { foreignWriter }),
    ...(hasReadForeign ? { hasReadForeign } : {}),
    startedBy,
    hops,
  };
}

async function announce(
  { deliverToAgent }: FollowUpDeps,
  request: PermissionRequest,
): Promise<void> {
  for (const to of request.decisionTo) await deliverToAgent(to, notice('decided', request, to));
}

function notice(event: 'presented' | 'decided', request: PermissionRequest, to: AgentAddress) {
  return {
    messageId: messageIdOf('permission', event, request.id, to.agentId),
    senderUserId: request.userId,
    origin: 'system',
    text: event === 'presented' ? presentedNotice(request) : decidedNotice(request),
    hops: 0,
    ...(request.askedIn ? inheritedLabels(request.askedIn) : {}),
    silent: true,
  };
}

/**
 * The asking turn chose the permission's name, so a notice with that name is trusted no more than the turn.
 */
function inheritedLabels({ trust, readPrivate, foreignWriter }: RequestingTurn) {
  return { trust: lowestTrust('own', trust), carriesPrivate: readPrivate, foreignWriter };
}
