import { describe, expect, it } from '@jest/globals';
import { AppError, notFound } from '@daycare/api';
import { makeGuardLookups } from './nametag-guard';

const unknown = async (): Promise<never> => {
  throw notFound('nametag');
};
const refused = async (): Promise<never> => {
  throw new AppError('FAILED_PRECONDITION', 'You are not friends');
};
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error as AppError).code,
  );

describe('guardLookups', () => {
  it('refuses to look anything up for a user who has named too many unknown things', async () => {
    const guard = makeGuardLookups(3);
    const codes = [1, 2, 3].map(() => codeOf(guard('eve', unknown)));
    expect(await Promise.all(codes)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
    let lookups = 0;
    const existing = async (): Promise<void> => void (lookups += 1);
    await expect(guard('eve', existing)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/try again from 20.*Z$/),
      details: { retryAfterMs: expect.any(Number) },
    });
    expect(lookups).toBe(0);
    expect(await codeOf(guard('ada', existing))).toBe('OK');
  });

  it('does not count other answers', async () => {
    const guard = makeGuardLookups(1);
    for (let calls = 0; calls < 5; calls += 1)
      expect(await codeOf(guard('ada', refused))).toBe('FAILED_PRECONDITION');
    expect(await codeOf(guard('ada', async () => undefined))).toBe('OK');
  });
});
