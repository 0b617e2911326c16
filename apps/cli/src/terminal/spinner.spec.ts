import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startSpinner } from './spinner';

describe('startSpinner', () => {
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

  it('shows the spinner after a second and removes it completely', () => {
    const stop = start(true);
    jest.advanceTimersByTime(900);
    expect(written).toBe('');
    jest.advanceTimersByTime(300);
    expect(written).toMatch(/^\r⠋ waiting…\r⠙ waiting…/);
    stop();
    expect(written.endsWith('\r\u001b[2K')).toBe(true);
    const before = written;
    stop();
    jest.advanceTimersByTime(1_000);
    expect(written).toBe(before);
  });

  it('shows nothing without a terminal', () => {
    const stop = start(false);
    jest.advanceTimersByTime(5_000);
    stop();
    expect(written).toBe('');
  });
});
