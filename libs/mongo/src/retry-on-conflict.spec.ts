import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { retryOnConflict } from './retry-on-conflict';

/** Work that fails with the given code this many times before it succeeds. */
function failing(times: number, code: 'CONFLICT' | 'INTERNAL' = 'CONFLICT') {
  const work = { tries: 0 };
  const run = async (): Promise<string> => {
    work.tries += 1;
    if (work.tries <= times) throw new AppError(code, 'failed');
    return 'done';
  };
  return { work, run };
}

describe('retryOnConflict', () => {
  it('runs the work again after a conflict', async () => {
    const { work, run } = failing(2);
    await expect(retryOnConflict(run)).resolves.toBe('done');
    expect(work.tries).toBe(3);
  });

  it('gives up after the maximum number of tries', async () => {
    const { work, run } = failing(5);
    await expect(retryOnConflict(run, 3)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(work.tries).toBe(3);
  });

  it('does not retry other failures', async () => {
    const { work, run } = failing(1, 'INTERNAL');
    await expect(retryOnConflict(run)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(work.tries).toBe(1);
  });
});
