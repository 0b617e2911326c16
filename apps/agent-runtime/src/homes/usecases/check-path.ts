import { invalidField } from '@daycare/api';
import { parseHomePath } from '../domain/home-path';

/** Returns the segments of a user's path; throws INVALID_ARGUMENT when the path is invalid. */
export function checkPath(path: string): readonly string[] {
  const parsed = parseHomePath(path);
  if ('segments' in parsed) return parsed.segments;
  throw invalidField('path', parsed.problem);
}
