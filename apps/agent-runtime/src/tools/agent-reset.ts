import { z } from 'zod';
import type { makeResetAgent } from '../usecases/reset-agent';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeAgentResetTool(deps: {
  readonly resetAgent: ReturnType<typeof makeResetAgent>;
}): Tool {
  return defineTool({
    name: 'agent_reset',
    description:
      'Clears your own context: you forget this conversation once what waits before the reset is done. Use ' +
      'it when the user wants to start over.',
    schema: {
      message: z
        .string()
        .optional()
        .describe('What you want to remember; the new context begins with it'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ message = '' }, { agent, requestId }) {
      await deps.resetAgent({ userId: agent.userId, agentId: agent.id, requestId, message });
      return { summary: 'Your context will be cleared after this turn' };
    },
  });
}
