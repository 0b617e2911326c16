import type { ServiceKit } from './run-service';

/**
 * Runs something again and again until the service stops. What failed is logged and tried again; a run
 * that takes longer than the time between two is not joined by another.
 */
export function repeat(
  what: string,
  everyMs: number,
  run: () => Promise<unknown>,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): void {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= run()
      .catch((err: unknown) => log.warn({ err }, `cannot ${what}; trying on`))
      .finally(() => (running = undefined));
  }, everyMs);
  timer.unref();
  stop.add('quiesce', what, async () => {
    clearInterval(timer);
    await running;
  });
}
