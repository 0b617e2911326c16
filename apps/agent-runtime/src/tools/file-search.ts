import { z } from 'zod';
import { fitCharacters } from '../domain/fit-characters';
import { checkFilePath } from '../usecases/check-file-path';
import type { makeSearchFiles } from '../usecases/search-files';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

const mostCharacters = 7_000;

export function makeFileSearchTool(deps: {
  readonly searchFiles: ReturnType<typeof makeSearchFiles>;
}): Tool {
  return defineTool({
    name: 'file_search',
    description:
      'Finds lines in your text files that have all the words of the query in them, in upper or lower case. ' +
      'Shows the path, the number of the line and the line. Files over 1 MiB are not searched.',
    schema: {
      query: z.string().describe('One to ten words'),
      path: z.string().optional().describe('A folder or file to search in; leave it out for all'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ query, path: typed = '' }, { agent: { userId }, signal }) {
      const path = typed === '' ? undefined : checkFilePath(typed);
      const found = await deps.searchFiles({ userId, query, path, signal });
      const matches = fitCharacters(found.matches, mostCharacters);
      const isComplete = found.isComplete && matches.length === found.matches.length;
      const what = matches.length === 1 ? '1 line' : `${matches.length} lines`;
      const note = isComplete ? '' : '; there may be more, so search a folder or for more words';
      return { summary: `${what} found${note}`, matches };
    },
  });
}
