import { describe, expect, it } from '@jest/globals';
import { withTimeout } from './with-timeout';

const never = new Promise(() => undefined);

describe('withTimeout', () => {
  it('resolves with the work’s result', async () => {
    await expect(withTimeout(Promise.resolve(7), 1_000)).resolves.toBe(7);
  });

  it('rejects with the work’s error', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  });

  it('rejects when the work takes too long', async () => {
    await expect(withTimeout(never, 5)).rejects.toThrow('not done within 5 ms');
  });

  it('rejects with an error of the caller’s choice', async () => {
    await expect(withTimeout(never, 5, () => new RangeError('busy'))).rejects.toThrow(RangeError);
  });

  it('leaves no timer running after the work is done', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
    const before = timers().length;
    await withTimeout(Promise.resolve(), 60_000);
    expect(timers()).toHaveLength(before);
  });
});
