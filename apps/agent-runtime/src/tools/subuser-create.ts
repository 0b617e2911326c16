import { z } from 'zod';
import type { makeCreateSubuser } from '../usecases/create-subuser';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

export function makeSubuserCreateTool(deps: {
  readonly createSubuser: ReturnType<typeof makeCreateSubuser>;
}): Tool {
  return defineTool({
    name: 'subuser_create',
    description:
      'Makes a subuser: an application with agents, memory and files of its own, apart from yours. You reach ' +
      'it through its gateway agent, with send_agent_message.',
    schema: {
      name: z.string().describe('What people call it, up to 100 characters'),
      systemPrompt: z
        .string()
        .describe('What the gateway agent is to do and how; friends never see it'),
      description: z
        .string()
        .optional()
        .describe('One line that friends see when it is offered to them'),
    },
    isVisibleTo: ofOwners,
    authorise: ownersOnly,
    execute: ({ name, systemPrompt, description = '' }, context) =>
      deps.createSubuser(context, { name, systemPrompt, description }),
  });
}
