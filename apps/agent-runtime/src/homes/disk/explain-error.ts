import { AppError } from '@daycare/api';
import { errorCodeOf } from './pin';

const changedCodes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'];
const lockedCodes = ['EACCES', 'EPERM'];

/** Translates errors caused by programs that change or lock the same folders; returns other errors unchanged. */
export function explainError(error: unknown): unknown {
  const code = errorCodeOf(error) ?? '';
  const options = { cause: error };
  if (changedCodes.includes(code))
    return new AppError(
      'CONFLICT',
      'The folder was changed at the same time; try again',
      {},
      options,
    );
  if (lockedCodes.includes(code))
    return new AppError('FAILED_PRECONDITION', 'The folder is not writable', {}, options);
  return error;
}
