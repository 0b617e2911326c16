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

/** A call in a turn that a friend started. */
const callOf = (agent: Agent, more: Partial<RequestApprovalCall>): RequestApprovalCall => ({
  agent,
  requestId: createId(),
  toolName: 'file_write',
  argumentsJson: '{"path":"home/a.txt","content":"hi"}',
  trust: 'guest',
  readPrivate: false,
  startedBy: startedByFriend,
  hops: 2,
  turn: 5,
  ...more,
});

/** Overrides for `callOf`: the same tool, called with this content. */
export const withContent = (content: string) => ({ argumentsJson: JSON.stringify({ content }) });

/** Calls that need approval, their stored requests, and the decisions of people. */
export function approvalsOn(stage: Pick<PermissionStage, 'permissions'>) {
  const approve = (agent: Agent, more: Partial<RequestApprovalCall> = {}) =>
    stage.permissions.requestApproval(callOf(agent, more));
  const requestsOf = async ({ userId }: Agent): Promise<readonly PermissionRequest[]> => {
    const query = { userId, states: [], agentId: '', pageSize: 100, pageToken: '' };
    return (await stage.permissions.list(query)).requests;
  };
  return {
    approve,
    /** The id of the request that the call led to. */
    waitingId: async (agent: Agent, more?: Partial<RequestApprovalCall>): Promise<string> => {
      const answer = await approve(agent, more);
      if (answer.kind !== 'waiting') throw new Error('the call was granted and does not wait');
      return answer.permissionRequestId;
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
      const decided = { userId, requestId, permissionRequestId, decision, grantUntil };
      return stage.permissions.decide(decided);
    },
    revoke: ({ userId }: Agent, grantId: string) =>
      stage.permissions.revokeGrant({ userId, requestId: createId(), grantId }),
  };
}
