import { z } from 'zod';
import type { makeConfigureSubuser } from '../usecases/configure-subuser';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

export function makeSubuserConfigureTool(deps: {
  readonly configureSubuser: ReturnType<typeof makeConfigureSubuser>;
}): Tool {
  return defineTool({
    name: 'subuser_configure',
    description:
      'Gives the gateway agent of one of your subusers a new system prompt. It holds from its next turn on.',
    schema: {
      subuserId: z.string().describe('As subuser_list shows it'),
      systemPrompt: z.string().describe('Takes the place of the one before'),
    },
    isVisibleTo: ofOwners,
    authorise: ownersOnly,
    execute: (wish, context) => deps.configureSubuser(context, wish),
  });
}
