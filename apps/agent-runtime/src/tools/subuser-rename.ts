import { z } from 'zod';
import type { makeRenameSubuser } from '../usecases/rename-subuser';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

export function makeSubuserRenameTool(deps: {
  readonly renameSubuser: ReturnType<typeof makeRenameSubuser>;
}): Tool {
  return defineTool({
    name: 'subuser_rename',
    description: 'Changes what one of your subusers is called. Its nametag stays as it is.',
    schema: {
      subuserId: z.string().describe('As subuser_list shows it'),
      name: z.string().describe('Up to 100 characters'),
    },
    isVisibleTo: ofOwners,
    authorise: ownersOnly,
    execute: async (wish, context) => {
      const { id: subuserId, name, nametag } = await deps.renameSubuser(context, wish);
      return { summary: `Renamed ${nametag} to ${JSON.stringify(name)}`, subuserId, name, nametag };
    },
  });
}
