import { AppError } from '@daycare/api';

/**
 * Runs a transaction again when it throws CONFLICT because it lost a race that MongoDB itself cannot detect; at most
 * `maxTries` times in total.
 */
export async function retryOnConflict<T>(transaction: () => Promise<T>, maxTries = 20): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction();
    } catch (error) {
      const isConflict = error instanceof AppError && error.code === 'CONFLICT';
      if (!isConflict || tries === maxTries) throw error;
    }
  }
}
