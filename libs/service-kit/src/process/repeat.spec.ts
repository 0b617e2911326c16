import { expect, it, jest } from '@jest/globals';
import type { ServiceKit } from './run-service';
import { repeat } from './repeat';

it('repeat can start the first run immediately, without awaiting it, and logs and retries a run that fails', async () => {
  const warn = jest.fn();
  const stops: (() => Promise<void>)[] = [];
  const kit = {
    log: { warn },
    stop: { add: (_phase: string, _what: string, stop: () => Promise<void>) => stops.push(stop) },
  } as unknown as Pick<ServiceKit, 'log' | 'stop'>;
  let onSecond: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  const run = jest.fn(async () => {
    if (run.mock.calls.length > 1) return onSecond();
    throw new Error('away');
  });
  repeat('look', 5, run, kit, { runImmediately: true });
  expect(run).toHaveBeenCalledTimes(1);
  // The interval alone does not keep the process alive.
  const keepAlive = setInterval(() => undefined, 1_000);
  await second;
  clearInterval(keepAlive);
  expect(warn).toHaveBeenCalledTimes(1);
  for (const stop of stops) await stop();
});
