import { invalidField } from '@daycare/api';
import { parseHomePath } from '../domain/home-path';

/** The folders that agents access by path; memory has its own tools. */
export const fileFolders = ['home', 'skills', 'apps'] as const;

/** Normalises a path given by a model; throws INVALID_ARGUMENT with an explanation of what paths look like. */
export function checkFilePath(path: string): string {
  const parsed = parseHomePath(path.replace(/(?<=.)\/$/, ''));
  const segments = 'segments' in parsed ? parsed.segments : [];
  if (fileFolders.some((folder) => folder === segments[0])) return segments.join('/');
  const problem = 'problem' in parsed ? parsed.problem : 'must begin with home/, skills/ or apps/';
  throw invalidField(
    'path',
    `${problem}. Paths look like home/notes/today.md, skills/cook.md or apps/run.sh`,
  );
}
