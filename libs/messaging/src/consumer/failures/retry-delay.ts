import { backoffMs } from '@daycare/async';

/** The delay before a failed message is retried: four times as long after each failure, up to a maximum. */
export interface RetryTiming {
  readonly firstMs: number;
  readonly maxMs: number;
}

export function retryDelayMs(failures: number, timing: RetryTiming): number {
  return backoffMs(failures, { ...timing, factor: 4 });
}
