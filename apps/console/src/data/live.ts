import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { isDaycareError } from '@daycare/client/browser';
import { describeError, leaveIfSignedOut } from './client';
import { showToast } from './notices';
import { keepHiddenMs, type LiveContext } from './windows/live-context';

/** The streams that are cut at the moment. */
const interrupted = signal<ReadonlySet<string>>(new Set());

/** Whether what the page shows may be out of date because a connection was lost. */
export const isInterrupted = computed(() => interrupted.value.size > 0);

/** The same for some streams only. */
export const areInterrupted = (names: readonly string[]): ReadonlySignal<boolean> =>
  computed(() => names.some((name) => interrupted.value.has(name)));

/** Notes that a stream, here or in the window that follows it for this one, is cut or connected. */
export function markInterrupted(name: string, isCut: boolean): void {
  if (interrupted.peek().has(name) === isCut) return;
  const next = new Set(interrupted.peek());
  if (isCut) next.add(name);
  else next.delete(name);
  interrupted.value = next;
}

const reopenMs = 3_000;
/** Longer than the client waits between two attempts: a stream without another failure is connected, if only silent. */
const quietMs = 8_000;
/** A stream that ends like this is opened again. CANCELLED: a service that stops cancels what it is answering. */
const passing = [
  ...(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'CANCELLED', 'CONFLICT'] as const),
  ...(['RATE_LIMITED', 'QUOTA_EXCEEDED'] as const),
];

type Timer = ReturnType<typeof setTimeout> | undefined;

/**
 * Runs a stream while the page is visible. `follow` must continue after what it has received: it is called again
 * whenever the page is shown again, or the stream ended with an error that passes. `onRefused` gets one that does not, and
 * the stream stays closed. Returns how to stop it.
 */
export function runLive(
  name: string,
  follow: (context: LiveContext) => Promise<void>,
  onRefused: (error: unknown) => void = (error) => showToast(describeError(error), 'problem'),
): () => void {
  let current: AbortController | undefined;
  let isRefused = false;
  // One timer each: a page that is hidden while a stream waits to be opened again must do both.
  let hiding: Timer;
  let reopening: Timer;
  let quiet: Timer;

  const onCut = (): void => {
    clearTimeout(quiet);
    markInterrupted(name, true);
    quiet = setTimeout(() => markInterrupted(name, false), quietMs);
  };
  const onFailed = (error: unknown): void => {
    current = undefined;
    if (leaveIfSignedOut(error)) return;
    isRefused = !isDaycareError(error, ...passing);
    if (isRefused) {
      markInterrupted(name, false);
      onRefused(error);
      return;
    }
    onCut();
    reopening = setTimeout(() => void open(), reopenMs);
  };
  const open = async (): Promise<void> => {
    clearTimeout(reopening);
    const controller = (current = new AbortController());
    const { signal: end } = controller;
    const isOpen = (): boolean => current === controller;
    try {
      await follow({
        signal: end,
        onInterrupted: () => isOpen() && onCut(),
        received: () => isOpen() && markInterrupted(name, false),
      });
    } catch (error) {
      if (isOpen()) onFailed(error);
    }
  };
  const close = (): void => {
    clearTimeout(hiding);
    clearTimeout(reopening);
    clearTimeout(quiet);
    current?.abort();
    current = undefined;
  };
  const reopen = (): void => {
    close();
    if (!isRefused) void open();
  };
  const onVisibility = (): void => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(close, keepHiddenMs);
    else if (!current || interrupted.peek().has(name)) reopen();
  };
  // The connection below a stream may be dead although nothing has said so.
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
