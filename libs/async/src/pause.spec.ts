import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { pause } from './pause';

describe('pause', () => {
  it('lasts for the given time, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const startedMs = performance.now();
    await pause(20, signal);
    expect(performance.now() - startedMs).toBeGreaterThan(15);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends without an error as soon as the signal aborts', async () => {
    const controller = new AbortController();
    const paused = pause(60_000, controller.signal);
    controller.abort(new Error('stopping'));
    await expect(paused).resolves.toBeUndefined();
  });

  it('ends immediately when the signal is already aborted', async () => {
    await expect(pause(60_000, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
