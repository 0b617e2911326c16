import { describe, expect, it } from '@jest/globals';
import { runClosedLoop, runSequence } from './closed-loop';

/** Makes a clock that advances only when requests take time. */
function makeClock() {
  let nowMs = 0;
  const take = (ms: number) => async (): Promise<void> => void (nowMs += ms);
  return { now: () => nowMs, take };
}

describe('runClosedLoop', () => {
  it('a loop includes in its figures only requests that end within the measured time', async () => {
    const { now, take } = makeClock();
    const options = { inFlight: 1, leadInMs: 100, measureMs: 1_000, now };
    const figures = await runClosedLoop(take(10), options);
    expect(figures).toEqual({
      inFlight: 1,
      requests: 100,
      allRequests: 110,
      requestsPerSecond: 100,
      p50Ms: 10,
      p99Ms: 10,
      errors: 0,
    });
  });

  it('a loop keeps exactly the given number of requests in flight', async () => {
    const { now, take } = makeClock();
    let open = 0;
    let max = 0;
    const request = async (): Promise<void> => {
      max = Math.max(max, ++open);
      await take(1)();
      open -= 1;
    };
    await runClosedLoop(request, { inFlight: 16, leadInMs: 0, measureMs: 200, now });
    expect(max).toBe(16);
  });

  it('a loop counts failures, even before the measured time, and keeps the first reason', async () => {
    const { now } = makeClock();
    let calls = 0;
    const request = async (): Promise<void> => {
      throw new Error(`refused ${++calls}`);
    };
    const figures = await runClosedLoop(request, { inFlight: 4, leadInMs: 9, measureMs: 9, now });
    expect(figures).toMatchObject({ requests: 0, errors: 4, firstError: 'refused 1' });
  });

  it('a loop ends early when aborted', async () => {
    const { now, take } = makeClock();
    const options = { inFlight: 1, leadInMs: 0, measureMs: 10, now, signal: AbortSignal.abort() };
    const figures = await runClosedLoop(take(1), options);
    expect(figures.requests).toBe(0);
  });
});

describe('runSequence', () => {
  it('a sequence makes exactly the given number of requests, one after the other', async () => {
    const { now, take } = makeClock();
    const figures = await runSequence(take(20), 5, now);
    expect(figures).toMatchObject({ inFlight: 1, requests: 5, requestsPerSecond: 50, p50Ms: 20 });
  });

  it('a sequence ends at the first failure', async () => {
    const request = async (): Promise<void> => {
      throw new Error('refused');
    };
    expect(await runSequence(request, 5)).toMatchObject({ requests: 0, errors: 1 });
  });
});
