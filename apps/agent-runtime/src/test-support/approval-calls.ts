import { createId } from '@daycare/api/create-id';
import type { Agent } from '../agents/domain/agent';
import type { PermissionDecision, PermissionRequest } from '../permissions/domain/permission';
import type { RequestApprovalCall } from '../permissions/usecases/request-approval';
import type { PermissionStage } from './permission-stage';

export const startedByFriend = {
  source: 'friend',
  origin: 'friend:otter7',
  senderUserId: 'bob',
  nametag: 'otter7',
  byPerson: false,
} as const;

/** A tool call in a turn that a friend started. */
const callOf = (agent: Agent, overrides: Partial<RequestApprovalCall>): RequestApprovalCall => ({
  agent,
  requestId: createId(),
  toolName: 'file_write',
  argumentsJson: '{"path":"home/a.txt","content":"hi"}',
  trust: 'guest',
  readPrivate: false,
  startedBy: startedByFriend,
  hops: 2,
  turn: 5,
  ...overrides,
});

/** Overrides for `callOf` that pass this content to the tool. */
export const withContent = (content: string) => ({ argumentsJson: JSON.stringify({ content }) });

/** Functions that request approval for calls, read the stored requests, and decide them as people would. */
export function approvalsOn(stage: Pick<PermissionStage, 'permissions'>) {
  const requestApproval = (agent: Agent, overrides: Partial<RequestApprovalCall> = {}) =>
    stage.permissions.requestApproval(callOf(agent, overrides));
  const requestsOf = async ({ userId }: Agent): Promise<readonly PermissionRequest[]> => {
    const query = { userId, states: [], agentId: '', pageSize: 100, pageToken: '' };
    return (await stage.permissions.list(query)).requests;
  };
  return {
    requestApproval,
    /** Requests approval for a call that has to wait for it; returns the id of the permission request. */
    waitingId: async (agent: Agent, overrides?: Partial<RequestApprovalCall>): Promise<string> => {
      const outcome = await requestApproval(agent, overrides);
      if (outcome.kind !== 'waiting') throw new Error('the call is not waiting for a decision');
      return outcome.permissionRequestId;
    },
    requestsOf,
    pendingOf: async (agent: Agent) =>
      (await requestsOf(agent)).filter(({ state }) => state === 'pending'),
    grantsOf: async ({ userId }: Agent) =>
      (await stage.permissions.listGrants({ userId, agentId: '', pageSize: 0, pageToken: '' }))
        .grants,
    decide: (
      { userId }: Agent,
      permissionRequestId: string,
      decision: PermissionDecision,
      grantUntil?: Date,
    ) => {
      const requestId = createId();
      const call = { userId, requestId, permissionRequestId, decision, grantUntil };
      return stage.permissions.decide(call);
    },
    revoke: ({ userId }: Agent, grantId: string) =>
      stage.permissions.revokeGrant({ userId, requestId: createId(), grantId }),
  };
}
