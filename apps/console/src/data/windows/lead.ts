import { keepHiddenMs } from './live-context';
import { holdOneOf } from './window-lock';

/**
 * Makes one visible window at a time the leader of all windows that share this lock. `start` is called when this window
 * becomes the leader; the function that `start` returns is called when this window stops leading. A leader that has
 * been hidden for some time steps down, so that another window can take over.
 */
export function whileLeading(lock: string, start: () => () => void): void {
  let attempt: AbortController | undefined;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  const tryToLead = async (): Promise<void> => {
    const { signal } = (attempt = new AbortController());
    const held = await holdOneOf([lock], signal);
    if (!held) return;
    const stop = start();
    const stepDown = (): void => {
      stop();
      held.release();
    };
    if (signal.aborted) stepDown();
    else signal.addEventListener('abort', stepDown, { once: true });
  };
  const onVisibility = (): void => {
    clearTimeout(hideTimer);
    if (!document.hidden && (!attempt || attempt.signal.aborted)) void tryToLead();
    else if (document.hidden) hideTimer = setTimeout(() => attempt?.abort(), keepHiddenMs);
  };
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
}
