import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AppError, notFound } from '@daycare/api';
import { UnknownNametag } from '../usecases/people';
import { makeGuardLookups } from './nametag-guard';

const nothing = async (): Promise<void> => undefined;
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
  it('looks up nothing for a user who has named too many unknown nametags', async () => {
    const guard = makeGuardLookups(3, nothing);
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

  it('concurrent guesses get no more answers in the long run than sequential ones', async () => {
    const guard = makeGuardLookups(5, nothing);
    await Promise.all(Array.from({ length: 200 }, () => codeOf(guard('eve', unknown))));
    const { details } = (await guard('eve', unknown).catch((error: unknown) => error)) as AppError;
    expect(details.retryAfterMs).toBeGreaterThan(38 * 60_000);
  });

  it('asks identity equally often for a hidden nametag and for one that does not exist', async () => {
    let asked = 0;
    const guard = makeGuardLookups(10, async () => void (asked += 1));
    await codeOf(guard('eve', unknown));
    expect(asked).toBe(1);
    const absent = async (): Promise<never> => {
      throw new UnknownNametag();
    };
    expect(await codeOf(guard('eve', absent))).toBe('NOT_FOUND');
    await codeOf(guard('eve', refused));
    await codeOf(guard('eve', async () => undefined));
    expect(asked).toBe(1);
  });

  it('answers after a multiple of the same time, however long the look-up took', async () => {
    const guard = makeGuardLookups(10, nothing);
    for (const workMs of [0, 10, 40, 70]) {
      const startedAt = performance.now();
      const slow = () => delay(workMs).then(unknown);
      await codeOf(guard('eve', slow));
      const tookMs = performance.now() - startedAt;
      const steps = Math.ceil(workMs / 30) || 1;
      expect(tookMs).toBeGreaterThanOrEqual(steps * 30 - 2);
    }
  });

  it('does not count other answers', async () => {
    const guard = makeGuardLookups(1, nothing);
    for (let calls = 0; calls < 5; calls += 1)
      expect(await codeOf(guard('ada', refused))).toBe('FAILED_PRECONDITION');
    expect(await codeOf(guard('ada', async () => undefined))).toBe('OK');
  });
});
