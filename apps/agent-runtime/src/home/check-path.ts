import { AppError } from '@daycare/errors';
import { parseHomePath } from '../domain/home-path';

/** The names in a path of a user; throws INVALID_ARGUMENT when it is not one. */
export function checkPath(path: string): readonly string[] {
  const parsed = parseHomePath(path);
  if ('segments' in parsed) return parsed.segments;
  const { problem } = parsed;
  throw new AppError('INVALID_ARGUMENT', `path ${problem}`, {
    fields: [{ field: 'path', description: problem }],
  });
}
