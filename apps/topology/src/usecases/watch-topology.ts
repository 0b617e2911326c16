import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@daycare/errors';
import { Alarm } from '@daycare/messaging';
import type { Viewer } from '../domain/facts';
import type { GetTopologyCall, TopologyPage } from './get-topology';
import type { StreamCount } from './stream-count';

export interface WatchTopologyCall extends Pick<GetTopologyCall, 'pageSize' | 'includeDead'> {
  readonly viewer: Viewer;
  /** The last revision the caller has; empty when it has none. */
  readonly afterRevision: string;
  readonly signal: AbortSignal;
  /** Throws once the caller's credential no longer holds. */
  readonly recheck: () => Promise<void>;
}

export interface WatchTopologyDeps {
  readonly getTopology: (call: GetTopologyCall) => Promise<TopologyPage>;
  /** Calls back with hints that something has changed for the user; resolves with how to stop. */
  readonly listen: (userId: string, listener: () => void) => Promise<() => void>;
  readonly streams: StreamCount;
  /** How often the view is composed although no hint came. */
  readonly pollMs: number;
  /** Changes within this time after a view was composed are shown together. */
  readonly gatherMs: number;
  /** Aborted when the service stops: watchers then go on at another replica. */
  readonly stopping: AbortSignal;
}

/**
 * The first page of the view, then a new one whenever the revision differs. Hints only say when to
 * look, so losing one costs time and nothing else; and what is shown is composed when the reader is
 * ready for it, so a slow one holds no more than one view and skips those in between.
 */
export function makeWatchTopology(deps: WatchTopologyDeps) {
  return async function* watch(call: WatchTopologyCall): AsyncGenerator<TopologyPage> {
    const { userId } = call.viewer;
    const leave = deps.streams.enter(userId);
    const signal = AbortSignal.any([call.signal, deps.stopping]);
    const alarm = new Alarm();
    const ring = (): void => alarm.ring();
    signal.addEventListener('abort', ring, { once: true });
    let stopListening: (() => void) | undefined;
    try {
      // Before the first look, so that no change falls between.
      stopListening = await deps.listen(userId, ring);
      yield* follow(deps, { ...call, signal }, alarm);
      if (deps.stopping.aborted) throw new AppError('UNAVAILABLE', 'This replica is stopping');
    } finally {
      signal.removeEventListener('abort', ring);
      stopListening?.();
      leave();
    }
  };
}

async function* follow(
  { getTopology, pollMs, gatherMs }: WatchTopologyDeps,
  { afterRevision, recheck, ...call }: WatchTopologyCall,
  alarm: Alarm,
): AsyncGenerator<TopologyPage> {
  const { signal } = call;
  let revision = afterRevision;
  while (!signal.aborted) {
    await recheck();
    const page = await getTopology({ ...call, pageToken: '', deadline: Infinity }).catch(
      unlessOver(signal),
    );
    if (!page) return;
    const composedAt = performance.now();
    if (page.revision !== revision) yield page;
    revision = page.revision;
    await pause(gatherMs, signal);
    await alarm.sleep(untilNextLook(page, composedAt, pollMs));
  }
}

/** Until the next look is due, or the view changes without anybody doing anything. */
function untilNextLook({ changesInMs }: TopologyPage, composedAt: number, pollMs: number): number {
  if (changesInMs === 0) return pollMs;
  return Math.min(pollMs, Math.max(0, composedAt + changesInMs - performance.now()));
}

/** What fails because the call is over is no failure. */
function unlessOver(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(durationMs, undefined, { signal }).catch(unlessOver(signal));
}
