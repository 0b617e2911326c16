import { z } from 'zod';
import type { UserHomes } from '../home/user-homes';
import { checkFilePath } from '../usecases/check-file-path';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeFileDeleteTool({ homes }: { readonly homes: Pick<UserHomes, 'remove'> }): Tool {
  return defineTool({
    name: 'file_delete',
    description:
      'Deletes one of your files, or a folder that is empty. It cannot be undone. Says so when there was ' +
      'nothing to delete.',
    schema: {
      path: z.string().describe('Such as home/notes.txt; begins with home/, skills/ or apps/'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ path: typed }, { agent }) {
      const path = checkFilePath(typed);
      const deleted = await homes.remove(agent.userId, path);
      return { summary: deleted ? `Deleted ${path}` : `There is no ${path}`, path, deleted };
    },
  });
}
