import { z } from 'zod';
import type { makeSendAgentMessage } from '../usecases/send-agent-message';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

/** Whom an agent may reach is decided by the usecase, once it is known whom it means. */
export function makeSendAgentMessageTool(deps: {
  readonly sendAgentMessage: ReturnType<typeof makeSendAgentMessage>;
}): Tool {
  return defineTool({
    name: 'send_agent_message',
    description:
      'Sends text to another agent, which hears it as a system message with your id as its origin. Without ' +
      'an agentId it goes to the agent that started you, or else to the one that last talked with the user.',
    schema: {
      text: z.string().describe('Up to 32,768 characters'),
      agentId: z
        .string()
        .optional()
        .describe('To reply, the origin of the system message you heard'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ text, agentId: wanted = '' }, { agent, requestId, hops }) {
      const { messageId, agentId } = await deps.sendAgentMessage({
        userId: agent.userId,
        senderAgentId: agent.id,
        requestId,
        agentId: wanted,
        text,
        hops: hops + 1,
      });
      return { summary: `Message sent to agent ${agentId}`, agentId, messageId };
    },
  });
}
