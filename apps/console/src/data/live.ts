import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { isDaycareError } from '@daycare/client/browser';
import { describeError, leaveIfSignedOut } from './client';
import { showToast } from './notices';
import { keepHiddenMs, type LiveContext } from './windows/live-context';

/** The names of the streams that are currently interrupted. */
const interrupted = signal<ReadonlySet<string>>(new Set());

/** Whether the page may be out of date because a connection was lost. */
export const isInterrupted = computed(() => interrupted.value.size > 0);

/** Like `isInterrupted`, but considers only the given streams. */
export const isAnyInterrupted = (names: readonly string[]): ReadonlySignal<boolean> =>
  computed(() => names.some((name) => interrupted.value.has(name)));

/**
 * Records whether a stream is interrupted. It is also called for the streams that the leading window follows on this
 * window's behalf, under the name `shared`.
 */
export function markInterrupted(name: string, isDown: boolean): void {
  if (interrupted.peek().has(name) === isDown) return;
  const next = new Set(interrupted.peek());
  if (isDown) next.add(name);
  else next.delete(name);
  interrupted.value = next;
}

const reopenMs = 3_000;
/**
 * Longer than the client waits between two attempts. So a stream that has not failed again within this time is assumed
 * to be connected, even if nothing has arrived on it.
 */
const quietMs = 8_000;
/** Errors after which a stream is reopened. CANCELLED is included: a stopping service cancels its open calls. */
const transientErrors = [
  ...(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'CANCELLED', 'CONFLICT'] as const),
  ...(['RATE_LIMITED', 'QUOTA_EXCEEDED'] as const),
];

type Timer = ReturnType<typeof setTimeout> | undefined;

/**
 * Keeps a stream open while the page is visible and for `keepHiddenMs` after it is hidden. `follow` must resume after
 * what it has received, because it is called again after the page was hidden for a while, after the browser was
 * offline, and after a transient error. If the session has ended, the page is left. Any other error is passed to
 * `onRefused`, and the stream stays closed. Returns a function that stops the stream.
 */
export function runLive(
  name: string,
  follow: (context: LiveContext) => Promise<void>,
  onRefused: (error: unknown) => void = (error) => showToast(describeError(error), 'problem'),
): () => void {
  let current: AbortController | undefined;
  let isRefused = false;
  // Separate timers: a page may be hidden while a stream is waiting to be reopened.
  let hideTimer: Timer;
  let reopenTimer: Timer;
  let quietTimer: Timer;

  const onLost = (): void => {
    clearTimeout(quietTimer);
    markInterrupted(name, true);
    quietTimer = setTimeout(() => markInterrupted(name, false), quietMs);
  };
  const onFailed = (error: unknown): void => {
    current = undefined;
    if (leaveIfSignedOut(error)) return;
    isRefused = !isDaycareError(error, ...transientErrors);
    if (isRefused) {
      markInterrupted(name, false);
      onRefused(error);
      return;
    }
    onLost();
    reopenTimer = setTimeout(() => void open(), reopenMs);
  };
  const open = async (): Promise<void> => {
    clearTimeout(reopenTimer);
    const controller = (current = new AbortController());
    const { signal: end } = controller;
    const isOpen = (): boolean => current === controller;
    try {
      await follow({
        signal: end,
        onInterrupted: () => isOpen() && onLost(),
        onReceived: () => isOpen() && markInterrupted(name, false),
      });
    } catch (error) {
      if (isOpen()) onFailed(error);
    }
  };
  const close = (): void => {
    clearTimeout(hideTimer);
    clearTimeout(reopenTimer);
    clearTimeout(quietTimer);
    current?.abort();
    current = undefined;
  };
  const reopen = (): void => {
    close();
    if (!isRefused) void open();
  };
  const onVisibility = (): void => {
    clearTimeout(hideTimer);
    if (document.hidden) hideTimer = setTimeout(close, keepHiddenMs);
    else if (!current || interrupted.peek().has(name)) reopen();
  };
  // The connection may be dead without any error having been reported.
  const onOnline = (): void => {
    if (!document.hidden) reopen();
  };
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onOnline);
  void open();
  if (document.hidden) onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', onOnline);
    close();
    markInterrupted(name, false);
  };
}
