import { z } from 'zod';
import { notFound } from '@daycare/errors';
import { summaryOf } from '../domain/list-summary';
import type { HomeEntry, UserHomes } from '../home/user-homes';
import { checkFilePath, fileFolders } from '../usecases/check-file-path';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

type Lists = Pick<UserHomes, 'list'>;

export function makeFileListTool({ homes }: { readonly homes: Lists }): Tool {
  return defineTool({
    name: 'file_list',
    description:
      'Shows what is in one of your folders, one entry per line: path, size in bytes and when it was ' +
      'changed. The path of a folder ends in a slash. Without a path it shows home, skills and apps.',
    schema: {
      path: z
        .string()
        .optional()
        .describe('A folder such as home/notes; leave it out for all three'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ path = '' }, { agent: { userId } }) {
      const lines = path === '' ? await listAll(homes, userId) : await list(homes, userId, path);
      return { summary: summaryOf(lines, 'The folder is empty'), count: lines.length };
    },
  });
}

async function list(homes: Lists, userId: string, typed: string): Promise<string[]> {
  const path = checkFilePath(typed);
  const entries = await homes.list(userId, path);
  // The three are there before anybody has written anything.
  if (!entries && !fileFolders.some((folder) => folder === path)) throw notFound('folder');
  return (entries ?? []).map((entry) => lineOf(path, entry));
}

/** Whoever has written nothing yet has empty ones. */
async function listAll(homes: Lists, userId: string): Promise<string[]> {
  const lists = await Promise.all(fileFolders.map((folder) => homes.list(userId, folder)));
  return fileFolders.flatMap((folder, index) => [
    `${folder}/`,
    ...(lists[index] ?? []).map((entry) => lineOf(folder, entry)),
  ]);
}

function lineOf(folder: string, { name, kind, size, modifiedAt }: HomeEntry): string {
  const path = `${folder}/${name}`;
  const changed = `changed ${modifiedAt.toISOString()}`;
  if (kind === 'folder') return `${path}/ ${changed}`;
  return kind === 'file' ? `${path} ${size} bytes ${changed}` : `${path} (${kind}) ${changed}`;
}
