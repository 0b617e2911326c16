import { Wakeup } from '@daycare/async';
import type { ServiceKit } from './run-service';

/**
 * Runs something until the service stops, each time when the last run said that there will be something to
 * do, in milliseconds, and at least every `maxMs`. A failure is logged and retried. Returns how to have it
 * run immediately, for what has become due earlier than expected.
 */
export function repeatWhenDue(
  what: string,
  maxMs: number,
  run: () => Promise<number | undefined>,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): () => void {
  const wakeup = new Wakeup();
  let isStopping = false;
  const attempt = (): Promise<number | undefined> =>
    run().catch((err: unknown) => {
      log.warn({ err }, `cannot ${what}; retrying`);
      return undefined;
    });
  const repeatUntilStopped = async (): Promise<void> => {
    while (!isStopping) {
      const waitMs = (await attempt()) ?? maxMs;
      await wakeup.sleep(Math.min(maxMs, Math.max(0, waitMs)));
    }
  };
  const running = repeatUntilStopped();
  stop.add('quiesce', what, async () => {
    isStopping = true;
    wakeup.signal();
    await running;
  });
  return () => wakeup.signal();
}
