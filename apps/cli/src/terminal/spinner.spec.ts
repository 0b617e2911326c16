import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startSpinner } from './spinner';

describe('a spinner', () => {
  let written: string;
  beforeEach(() => {
    written = '';
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const start = (isTTY: boolean): (() => void) =>
    startSpinner({ isTTY, write: (text) => (written += text) });

  it('is not seen before a second has passed, and leaves nothing behind', () => {
    const stop = start(true);
    jest.advanceTimersByTime(900);
    expect(written).toBe('');
    jest.advanceTimersByTime(300);
    expect(written).toMatch(/^\r⠋ waiting …\r⠙ waiting …/);
    stop();
    expect(written.endsWith('\r\u001b[2K')).toBe(true);
    const before = written;
    stop();
    jest.advanceTimersByTime(1_000);
    expect(written).toBe(before);
  });

  it('is never seen where nobody looks', () => {
    const stop = start(false);
    jest.advanceTimersByTime(5_000);
    stop();
    expect(written).toBe('');
  });
});
