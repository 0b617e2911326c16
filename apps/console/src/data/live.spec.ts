import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DaycareError, type ErrorReason } from '@daycare/client/browser';
import { browserWindow, page } from '../testing/fake-browser';
import { isInterrupted, runLive } from './live';

describe('runLive', () => {
  let opened: { end: AbortSignal; fail: (reason: ErrorReason) => void; finish: () => void }[] = [];
  let refused: unknown[] = [];
  let stop = (): void => undefined;

  beforeEach(() => {
    jest.useFakeTimers();
    page.hidden = false;
    [opened, refused] = [[], []];
    stop = runLive(
      'test',
      ({ signal: end }) =>
        new Promise<void>((resolve, reject) => {
          const fail = (code: ErrorReason): void =>
            reject(new DaycareError({ code, message: code, details: {} }));
          opened.push({ end, fail, finish: resolve });
          end.addEventListener('abort', () => fail('CANCELLED'));
        }),
      (error) => refused.push(error),
    );
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });

  const show = (isShown: boolean): void => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const fail = async (reason: ErrorReason): Promise<void> => {
    opened.at(-1)?.fail(reason);
    await jest.advanceTimersByTimeAsync(0);
  };
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('a stream is closed some time after the page is hidden, and reopened when the page is shown', async () => {
    show(false);
    await pass(9_000);
    expect(opened[0]?.end.aborted).toBe(false);
    await pass(2_000);
    expect(opened[0]?.end.aborted).toBe(true);
    show(true);
    expect(opened).toHaveLength(2);
  });

  it('a stream stays open when the page is hidden briefly', async () => {
    show(false);
    await pass(5_000);
    show(true);
    await pass(60_000);
    expect([opened.length, opened[0]?.end.aborted]).toEqual([1, false]);
  });

  it('after a transient error, a stream is reopened, and is marked as interrupted for some seconds', async () => {
    await fail('UNAVAILABLE');
    expect([opened.length, isInterrupted.value]).toEqual([1, true]);
    await pass(3_000);
    expect(opened).toHaveLength(2);
    await pass(8_000);
    expect(isInterrupted.value).toBe(false);
  });

  it('a stream is reopened if it failed while the page was hidden', async () => {
    show(false);
    await pass(1_000);
    await fail('UNAVAILABLE');
    await pass(500);
    show(true);
    expect(opened).toHaveLength(2);
    await pass(60_000);
    expect([opened.length, opened[1]?.end.aborted]).toEqual([2, false]);
  });

  it('a stream is not opened twice when the page is shown while a reopen is scheduled', async () => {
    await fail('INTERNAL');
    show(true);
    await pass(60_000);
    expect(opened).toHaveLength(2);
  });

  it('a stream that is waiting to be reopened stays closed once the hidden page has closed its streams', async () => {
    show(false);
    await pass(9_000);
    await fail('UNAVAILABLE');
    await pass(60_000);
    expect(opened.every(({ end }, index) => index === 0 || end.aborted)).toBe(true);
  });

  it('a stream is replaced when the browser comes back online, even if it has reported no failure', async () => {
    browserWindow.dispatchEvent(new Event('online'));
    await pass(0);
    expect([opened.length, opened[0]?.end.aborted, opened[1]?.end.aborted]).toEqual([
      ...[2, true, false],
    ]);
  });

  it.each(['NOT_FOUND', 'PERMISSION_DENIED', 'INVALID_ARGUMENT'] as const)(
    'a stream stays closed after %s, and the error is passed to onRefused',
    async (reason) => {
      await fail(reason);
      show(false);
      show(true);
      await pass(60_000);
      expect([opened.length, isInterrupted.value]).toEqual([1, false]);
      expect(refused).toMatchObject([{ reason }]);
    },
  );
});
