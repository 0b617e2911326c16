import { AppError } from '@daycare/api';
import { mergeSignals, onAbort, pause, Wakeup } from '@daycare/async';
import type { GetTopologyCall, TopologyPage } from './get-topology';

export interface WatchTopologyCall extends Omit<GetTopologyCall, 'pageToken' | 'deadline'> {
  /** The last revision the caller has; empty when it has none. */
  readonly afterRevision: string;
  /** Throws once the caller's credential is no longer valid. */
  readonly recheck: () => Promise<void>;
}

export interface WatchTopologyDeps {
  readonly getTopology: (call: GetTopologyCall) => Promise<TopologyPage>;
  /** Calls the listener for every hint about the user. Resolves with a function that removes the listener. */
  readonly listen: (userId: string, listener: () => void) => Promise<() => void>;
  /** How often the view is composed when no hint announces a change. */
  readonly pollMs: number;
  /** Changes that follow a composed view within this time are shown together. */
  readonly gatherMs: number;
  /** Aborted when the service stops, so that watchers reconnect to another replica. */
  readonly stopping: AbortSignal;
}

/**
 * Yields the first page of the view if the caller does not have its revision yet, and again whenever the revision
 * changes. A hint only triggers an early poll, so a lost hint delays a change but never hides it. A view is composed
 * when the reader is ready for it, so a slow reader skips views, and at most one is kept in memory for it.
 */
export function makeWatchTopology(deps: WatchTopologyDeps) {
  return async function* watch(call: WatchTopologyCall): AsyncGenerator<TopologyPage> {
    const { userId } = call.viewer;
    const { signal, release } = mergeSignals(call.signal, deps.stopping);
    const wakeup = new Wakeup();
    const wake = (): void => wakeup.signal();
    onAbort(signal, wake);
    let stopListening: (() => void) | undefined;
    try {
      // Listens before the first view is composed, so that no change in between is missed.
      stopListening = await deps.listen(userId, wake);
      yield* follow(deps, { ...call, signal }, wakeup);
      if (deps.stopping.aborted)
        throw new AppError('UNAVAILABLE', 'This replica is stopping; try again');
    } finally {
      release();
      stopListening?.();
    }
  };
}

async function* follow(
  { getTopology, pollMs, gatherMs }: WatchTopologyDeps,
  { afterRevision, recheck, ...call }: WatchTopologyCall,
  wakeup: Wakeup,
): AsyncGenerator<TopologyPage> {
  const { signal } = call;
  let revision = afterRevision;
  while (!signal.aborted) {
    await recheck();
    const page = await getTopology({ ...call, pageToken: '', deadline: Infinity }).catch(
      ignoreIfAborted(signal),
    );
    if (!page) return;
    const composedAtMs = performance.now();
    if (page.revision !== revision) yield page;
    revision = page.revision;
    await pause(gatherMs, signal);
    await wakeup.sleep(msUntilNextPoll(page, composedAtMs, pollMs));
  }
}

/** Returns the time until the next poll, or until the view changes because time passes, if that is sooner. */
function msUntilNextPoll({ changesInMs }: TopologyPage, composedAtMs: number, pollMs: number) {
  if (changesInMs === 0) return pollMs;
  return Math.min(pollMs, Math.max(0, composedAtMs + changesInMs - performance.now()));
}

/** Ignores errors once the signal is aborted, because they are then a consequence of the call's end. */
function ignoreIfAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
