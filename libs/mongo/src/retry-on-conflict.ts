import { AppError } from '@daycare/api';

/** Runs a transaction again when it lost a race that MongoDB cannot see, which it reports as CONFLICT. */
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
