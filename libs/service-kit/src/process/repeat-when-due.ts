import { Wakeup } from '@daycare/async';
import type { ServiceKit } from './run-service';

/**
 * Runs a task again and again until the service stops. Each run returns the milliseconds until the next one is due, or
 * undefined if none is; the wait is never longer than `maxMs`. A failure is logged as "cannot `what`", and the task is
 * retried after `maxMs`. Returns a function that starts the next run immediately or, during a run, right after it.
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
