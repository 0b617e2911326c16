export { backoffMs } from './backoff';
export { mergeSignals } from './merge-signals';
export { onAbort } from './on-abort';
export { pause } from './pause';
export { raceAbort } from './race-abort';
export { Semaphore } from './semaphore';
export { Wakeup } from './wakeup';
export { withTimeout } from './with-timeout';
