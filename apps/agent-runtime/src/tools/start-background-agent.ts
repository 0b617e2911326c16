import { z } from 'zod';
import type { makeStartBackgroundAgent } from '../usecases/start-background-agent';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeStartBackgroundAgentTool(deps: {
  readonly startBackgroundAgent: ReturnType<typeof makeStartBackgroundAgent>;
}): Tool {
  return defineTool({
    name: 'start_background_agent',
    description:
      'Starts a new agent that works on its own while you go on. Tell it everything it needs to know and ' +
      'to report back with send_agent_message. Returns its id at once. You hear from the system if it fails.',
    schema: {
      prompt: z.string().min(1).max(32_768).describe('The task, in full'),
      name: z.string().max(100).optional().describe('A short name for people'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    execute: ({ prompt, name = '' }, { agent, requestId, hops }) =>
      deps.startBackgroundAgent({
        userId: agent.userId,
        parentAgentId: agent.id,
        requestId,
        prompt,
        name,
        hops: hops + 1,
      }),
  });
}
