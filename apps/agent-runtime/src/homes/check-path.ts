import { AppError } from '@daycare/api';
import { parseHomePath } from './domain/home-path';

/** Returns the segments of a user's path; throws INVALID_ARGUMENT when the path is invalid. */
export function checkPath(path: string): readonly string[] {
  const parsed = parseHomePath(path);
  if ('segments' in parsed) return parsed.segments;
  const { problem } = parsed;
  throw new AppError('INVALID_ARGUMENT', `path ${problem}`, {
    fields: [{ field: 'path', description: problem }],
  });
}
