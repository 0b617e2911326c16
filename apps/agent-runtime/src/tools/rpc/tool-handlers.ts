import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { Tools } from '../build';

export type ToolUsecases = Pick<Tools, 'callTool' | 'listTools'>;

/** The RPCs that list and call an agent's tools. */
export function toolHandlers(usecases: ToolUsecases): Handlers<typeof AgentRuntimeServiceService> {
  return {
    callTool: async (request, { caller, signal, traceparent }) => {
      const { userId, agentId: callerAgentId } = requireUser(caller);
      const call = { ...request, userId, callerAgentId, signal, traceparent };
      const { resultJson, truncated } = await usecases.callTool(call);
      return { resultJson, truncated };
    },
    listTools: async (request, { caller }) => {
      const { userId, agentId: callerAgentId } = requireUser(caller);
      const call = { ...request, userId, callerAgentId };
      const { tools, nextPageToken } = await usecases.listTools(call);
      return {
        tools: tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchemaJson: JSON.stringify(inputSchema),
        })),
        nextPageToken,
      };
    },
  };
}
