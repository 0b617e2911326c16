import { AppError } from '@daycare/errors';
import { errorCodeOf } from './pin';

const changed = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'];
const locked = ['EACCES', 'EPERM'];

/** What comes of programs that change or lock the same folders, as users hear it; other errors as they are. */
export function explainError(error: unknown): unknown {
  const code = errorCodeOf(error) ?? '';
  const options = { cause: error };
  if (changed.includes(code))
    return new AppError('CONFLICT', 'The folder was changed meanwhile', {}, options);
  if (locked.includes(code))
    return new AppError('FAILED_PRECONDITION', 'The folder may not be written to', {}, options);
  return error;
}
