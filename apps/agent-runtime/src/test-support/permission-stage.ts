import { createId } from '@paralleldrive/cuid2';
import type { Agent } from '../domain/agent';
import type { InboxItem } from '../domain/inbox-item';
import type { PermissionDecision, PermissionRequest } from '../domain/permission';
import { startTestPermissions } from './test-permissions';
import { startTestRuntime } from './test-runtime';

export type PermissionStage = Awaited<ReturnType<typeof startPermissionStage>>;

/** Agents that ask and people who decide, with nobody running the agents. */
export async function startPermissionStage() {
  const runtime = await startTestRuntime();
  const permissions = await startTestPermissions(runtime);
  return {
    runtime,
    permissions,
    /** A user with an agent that it talks with and one in the background. */
    async cast(): Promise<{ talker: Agent; asker: Agent }> {
      const talker = await runtime.newAgent();
      const { id: parentAgentId, userId } = talker;
      const scout = { kind: 'subagent', id: createId(), parentAgentId, name: 'scout' } as const;
      return { talker, asker: await runtime.newAgent(scout, userId) };
    },
    ask: (agent: Agent, requestId = createId(), permission = 'network') =>
      permissions.request({ agent, requestId, permission, reason: ' to look it up ' }),
    decide: ({ userId, id }: PermissionRequest, decision: PermissionDecision = 'grant') =>
      permissions.decide({ userId, requestId: createId(), permissionRequestId: id, decision }),
    heardBy: (agent: Agent): Promise<InboxItem[]> => runtime.inbox.next(agent, 100),
    grantsOf: async ({ id }: Agent): Promise<readonly string[]> =>
      (await runtime.agents.find(id))?.grantedPermissions ?? [],
    /** What is left to do for a request; undefined when nothing is. */
    async owed({ id }: PermissionRequest) {
      const all = await permissions.permissions.listOwed(new Date(8.64e15), 1_000);
      return all.find((request) => request.id === id);
    },
    async close(): Promise<void> {
      await permissions.close();
      await runtime.close();
    },
  };
}
