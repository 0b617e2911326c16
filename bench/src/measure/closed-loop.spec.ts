import { describe, expect, it } from '@jest/globals';
import { runClosedLoop } from './closed-loop';

/** A clock that only requests move. */
function makeClock() {
  let nowMs = 0;
  const take = (ms: number) => async (): Promise<void> => void (nowMs += ms);
  return { now: () => nowMs, take };
}

describe('runClosedLoop', () => {
  it('counts only what ends after the warm-up and before the end', async () => {
    const { now, take } = makeClock();
    const options = { inFlight: 1, warmUpMs: 100, measureMs: 1_000, now };
    const figures = await runClosedLoop(take(10), options);
    expect(figures).toEqual({
      inFlight: 1,
      requests: 100,
      requestsPerSecond: 100,
      p50Ms: 10,
      p99Ms: 10,
      errors: 0,
    });
  });

  it('keeps as many requests under way as asked for, never more', async () => {
    const { now, take } = makeClock();
    let open = 0;
    let most = 0;
    const request = async (): Promise<void> => {
      most = Math.max(most, ++open);
      await take(1)();
      open -= 1;
    };
    await runClosedLoop(request, { inFlight: 16, warmUpMs: 0, measureMs: 200, now });
    expect(most).toBe(16);
  });

  it('counts failures, also those of the warm-up, and keeps the first reason', async () => {
    const { now } = makeClock();
    let calls = 0;
    const request = async (): Promise<void> => {
      throw new Error(`refused ${++calls}`);
    };
    const figures = await runClosedLoop(request, { inFlight: 4, warmUpMs: 9, measureMs: 9, now });
    expect(figures).toMatchObject({ requests: 0, errors: 4, firstError: 'refused 1' });
  });

  it('ends early when told to', async () => {
    const { now, take } = makeClock();
    const options = { inFlight: 1, warmUpMs: 0, measureMs: 10, now, signal: AbortSignal.abort() };
    const figures = await runClosedLoop(take(1), options);
    expect(figures.requests).toBe(0);
  });
});
