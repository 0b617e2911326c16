import { z } from 'zod';
import type { UserHomes } from '../home/user-homes';
import { checkFilePath } from '../usecases/check-file-path';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeFileWriteTool({ homes }: { readonly homes: Pick<UserHomes, 'write'> }): Tool {
  return defineTool({
    name: 'file_write',
    description:
      'Writes a text file of yours, in place of the one that may be there, and makes the folders it is in. ' +
      'Your other agents see it too. A skill is a file such as skills/cook.md.',
    schema: {
      path: z.string().describe('Such as home/notes.txt; begins with home/, skills/ or apps/'),
      content: z.string().describe('The whole text; about 250,000 characters at most'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ path: typed, content }, { agent }) {
      const path = checkFilePath(typed);
      const bytes = Buffer.from(content, 'utf8');
      await homes.write(agent.userId, path, bytes);
      return { summary: `Wrote ${bytes.length} bytes to ${path}`, path, bytes: bytes.length };
    },
  });
}
