import { z } from 'zod';
import type { makeDeleteSubuser } from '../usecases/delete-subuser';
import { defineTool, type Tool } from './tool';
import { ofOwners, ownersOnly } from './who-may';

export function makeSubuserDeleteTool(deps: {
  readonly deleteSubuser: ReturnType<typeof makeDeleteSubuser>;
}): Tool {
  return defineTool({
    name: 'subuser_delete',
    description:
      'Deletes one of your subusers for good: its agents, memory, files and schedules are gone, and friends ' +
      'it is shared with are told. Ask the user first.',
    schema: { subuserId: z.string().describe('As subuser_list shows it') },
    isVisibleTo: ofOwners,
    authorise: ownersOnly,
    execute: async ({ subuserId }, context) => {
      await deps.deleteSubuser(context, subuserId);
      return { summary: 'Deleted the subuser with everything it had', subuserId };
    },
  });
}
