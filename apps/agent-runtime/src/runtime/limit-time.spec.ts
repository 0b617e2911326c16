import { describe, expect, it } from '@jest/globals';
import { limitTime } from './limit-time';

describe('limitTime', () => {
  it('answers what the work answers', async () => {
    await expect(limitTime(Promise.resolve(7), 1_000)).resolves.toBe(7);
  });

  it('fails as the work fails', async () => {
    await expect(limitTime(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  });

  it('fails when the work takes too long', async () => {
    const endless = new Promise(() => undefined);
    await expect(limitTime(endless, 5)).rejects.toThrow('not done within 5 ms');
  });
});
