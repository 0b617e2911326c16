import { createId } from '@daycare/api/create-id';
import type { Agent } from '../agents/domain/agent';
import type { InboxItem } from '../messaging/domain/inbox-item';
import type { PermissionDecision, PermissionRequest } from '../permissions/domain/permission';
import { startTestPermissions } from './test-permissions';
import { startTestRuntime } from './test-runtime';

export type PermissionStage = Awaited<ReturnType<typeof startPermissionStage>>;

/** A runtime for agents that request permissions and people who decide on the requests; the agents take no turns. */
export async function startPermissionStage() {
  const runtime = await startTestRuntime();
  const permissions = await startTestPermissions(runtime);
  return {
    runtime,
    permissions,
    /** Creates a user with a foreground agent and a background agent. */
    async newAgents(): Promise<{ foregroundAgent: Agent; requester: Agent }> {
      const foregroundAgent = await runtime.newAgent();
      const { id: parentAgentId, userId } = foregroundAgent;
      const scout = { kind: 'subagent', id: createId(), parentAgentId, name: 'scout' } as const;
      return { foregroundAgent, requester: await runtime.newAgent(scout, userId) };
    },
    ask: (agent: Agent, requestId = createId(), permission = 'network') =>
      permissions.request({ agent, requestId, permission, reason: ' to look it up ' }),
    decide: ({ userId, id }: PermissionRequest, decision: PermissionDecision = 'grant') =>
      permissions.decide({ userId, requestId: createId(), permissionRequestId: id, decision }),
    receivedBy: (agent: Agent): Promise<InboxItem[]> => runtime.inbox.next(agent, 100),
    grantsOf: async ({ id }: Agent): Promise<readonly string[]> =>
      (await permissions.permissionsOf([id])).get(id) ?? [],
    /** The stored request while it has outstanding follow-up work; undefined otherwise. */
    async outstanding({ id }: PermissionRequest) {
      const all = await permissions.permissions.listOutstanding(new Date(8.64e15), 1_000);
      return all.find((request) => request.id === id);
    },
    async close(): Promise<void> {
      await permissions.close();
      await runtime.close();
    },
  };
}
