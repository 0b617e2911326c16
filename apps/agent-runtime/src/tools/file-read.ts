import { z } from 'zod';
import { AppError, notFound } from '@daycare/errors';
import { takeLines } from '../domain/take-lines';
import { decodeText } from '../domain/text-type';
import type { UserHomes } from '../home/user-homes';
import { checkFilePath } from '../usecases/check-file-path';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

const largestFile = 1024 * 1024;
// So that a result is never cut off at a place that nobody can go on from.
const mostCharacters = 6_500;

export function makeFileReadTool({ homes }: { readonly homes: Pick<UserHomes, 'read'> }): Tool {
  return defineTool({
    name: 'file_read',
    description:
      'Reads lines of one of your text files. A long file comes in parts; nextOffset is where the next ' +
      'begins. Files over 1 MiB and files that are not text cannot be read.',
    schema: {
      path: z.string().describe('Such as home/notes.txt; begins with home/, skills/ or apps/'),
      offset: z.int().min(0).optional().describe('How many lines to skip; 0 is the beginning'),
      limit: z.int().min(1).optional().describe('How many lines at most'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ path: typed, offset = 0, limit = Infinity }, { agent }) {
      const path = checkFilePath(typed);
      const content = await homes.read(agent.userId, path, largestFile);
      if (!content) throw notFound('file');
      const { text, count, total, isCut } = takeLines(textOf(content), {
        offset,
        limit,
        mostCharacters,
      });
      const nextOffset = offset + count;
      const which = count === 0 ? 'No line' : `Lines ${offset + 1} to ${nextOffset}`;
      const note = isCut ? '; the line is too long and was cut' : '';
      const summary = `${which} of ${total} of ${path}${note}`;
      return { summary, text, ...(count > 0 && nextOffset < total ? { nextOffset } : {}) };
    },
  });
}

function textOf(content: Uint8Array): string {
  const text = decodeText(content, true);
  if (text === undefined) throw new AppError('FAILED_PRECONDITION', 'The file is not text');
  return text;
}
