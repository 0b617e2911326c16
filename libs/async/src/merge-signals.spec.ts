import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { mergeSignals } from './merge-signals';

describe('mergeSignals', () => {
  it('returns a signal that aborts with the first of the given signals, and with the same reason', () => {
    const [call, service] = [new AbortController(), new AbortController()];
    const { signal } = mergeSignals(call.signal, service.signal);
    expect(signal.aborted).toBe(false);
    service.abort('stopping');
    call.abort('cancelled');
    expect(signal.reason).toBe('stopping');
  });

  it('returns an aborted signal when one of the signals is already aborted', () => {
    const { signal } = mergeSignals(new AbortController().signal, AbortSignal.abort('over'));
    expect(signal.reason).toBe('over');
  });

  it('leaves no listener on a long-lived signal after release()', () => {
    const service = new AbortController();
    const merged = Array.from({ length: 5 }, () =>
      mergeSignals(new AbortController().signal, service.signal),
    );
    expect(getEventListeners(service.signal, 'abort')).toHaveLength(5);
    for (const { release } of merged) release();
    expect(getEventListeners(service.signal, 'abort')).toHaveLength(0);
    service.abort();
    expect(merged.some(({ signal }) => signal.aborted)).toBe(false);
  });
});
