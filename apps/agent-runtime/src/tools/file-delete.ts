import { z } from 'zod';
import type { UserHomes } from '../home/user-homes';
import { checkFilePath, fileFolders } from '../usecases/check-file-path';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeFileDeleteTool({ homes }: { readonly homes: Pick<UserHomes, 'remove'> }): Tool {
  return defineTool({
    name: 'file_delete',
    description:
      'Deletes one of your files, or a folder. It cannot be undone. Says so when there was nothing to ' +
      'delete.',
    schema: {
      path: z.string().describe('Such as home/notes.txt; begins with home/, skills/ or apps/'),
      recursive: z
        .boolean()
        .optional()
        .describe('A folder with all that is in it; home, skills and apps are emptied and stay'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ path: typed, recursive = false }, { agent }) {
      const path = checkFilePath(typed);
      const deleted = await homes.remove(agent.userId, path, { recursive });
      const done = fileFolders.some((folder) => folder === path) ? 'Emptied' : 'Deleted';
      return { summary: deleted ? `${done} ${path}` : `There is no ${path}`, path, deleted };
    },
  });
}
