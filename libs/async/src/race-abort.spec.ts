import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { raceAbort } from './race-abort';

const never = new Promise(() => undefined);

describe('raceAbort', () => {
  it('resolves with the work’s result', async () => {
    await expect(raceAbort(Promise.resolve(7), new AbortController().signal)).resolves.toBe(7);
  });

  it('rejects with the signal’s reason', async () => {
    const controller = new AbortController();
    const raced = raceAbort(never, controller.signal);
    controller.abort(new Error('stopping'));
    await expect(raced).rejects.toThrow('stopping');
  });

  it('rejects immediately when the signal is already aborted', async () => {
    await expect(raceAbort(never, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('wraps a reason that is not an error in an error', async () => {
    await expect(raceAbort(never, AbortSignal.abort('why'))).rejects.toThrow('aborted');
  });

  it('leaves no listener on the signal, however the work ends', async () => {
    const { signal } = new AbortController();
    const pending = raceAbort(Promise.resolve(1), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await pending;
    await raceAbort(Promise.reject(new Error('broken')), signal).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
