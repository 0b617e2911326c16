import type { ServiceKit } from './run-service';

/**
 * Runs a task at an interval until the service stops. A failure is logged as "cannot `what`", and the task is
 * retried at the next interval; runs never overlap. The first run starts after one interval or, with `runImmediately`,
 * right away, but is not awaited.
 */
export function repeat(
  what: string,
  everyMs: number,
  run: () => Promise<unknown>,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
  { runImmediately = false }: { readonly runImmediately?: boolean } = {},
): void {
  let running: Promise<unknown> | undefined;
  const start = (): void => {
    running ??= run()
      .catch((err: unknown) => log.warn({ err }, `cannot ${what}; retrying`))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(start, everyMs);
  timer.unref();
  if (runImmediately) start();
  stop.add('quiesce', what, async () => {
    clearInterval(timer);
    await running;
  });
}
