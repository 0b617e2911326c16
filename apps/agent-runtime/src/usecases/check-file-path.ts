import { AppError } from '@daycare/errors';
import { parseHomePath } from '../domain/home-path';

/** The folders that agents work in by path; memory has tools of its own. */
export const fileFolders = ['home', 'skills', 'apps'] as const;

/** A path that a model gave, as it is kept; throws INVALID_ARGUMENT that says what paths look like. */
export function checkFilePath(typed: string): string {
  const parsed = parseHomePath(typed.replace(/(?<=.)\/$/, ''));
  const segments = 'segments' in parsed ? parsed.segments : [];
  if (fileFolders.some((folder) => folder === segments[0])) return segments.join('/');
  const problem = 'problem' in parsed ? parsed.problem : 'must begin with home/, skills/ or apps/';
  const description = `${problem}. Paths look like home/notes/today.md, skills/cook.md or apps/run.sh`;
  throw new AppError('INVALID_ARGUMENT', `path ${description}`, {
    fields: [{ field: 'path', description }],
  });
}
