import type { Signal } from '../../domain/signals/signal';
import type { EmitSignalDeps } from './emit-signal';
import { deliveriesOf } from './emit-signal';

export interface EmitDueDeps extends Omit<EmitSignalDeps, 'onScheduled'> {
  /** Called for a signal that could not be emitted and will be retried. */
  readonly reportStuck: (signalId: string, error: unknown) => void;
  /** How far ahead to look for the next signal. */
  readonly lookAheadMs: number;
}

/** How many of an owner's signals are emitted in a row, and for how long, before the next owner's slice. */
const slice = { signals: 10, ms: 50 };
/** The maximum number of owners in a round; the query for the next owner names all earlier ones. */
const maxOwners = 100;
const retryMs = 30_000;

/**
 * Emits due signals in rounds. In each round, up to `maxOwners` owners have one slice each, in which the owner's
 * earliest signals are emitted one after another. So, unless one fails, an agent's signals are delivered in the order
 * in which they were due, and an owner with many signals delays the others by only one slice per round. Every replica
 * does this; the first to mark a signal as emitted delivers it. A signal that fails is postponed, so failing signals do
 * not hold up the others. Returns how long to wait before the next call; undefined if no signal is due within
 * `lookAheadMs`.
 */
export function makeEmitDueSignals(deps: EmitDueDeps) {
  return async (): Promise<number | undefined> => {
    const waitMs = await msUntilNextSignal(deps);
    if (waitMs === undefined || waitMs > 0) return waitMs;
    let hasMore = true;
    while (hasMore) hasMore = await emitRound(deps);
    return 0;
  };
}

/** Returns how long until the next signal is due. When there is nothing to emit, this is the only query. */
async function msUntilNextSignal(deps: EmitDueDeps): Promise<number | undefined> {
  const now = deps.now();
  const until = new Date(now.getTime() + deps.lookAheadMs);
  const next = await deps.signals.findNextDue(now, until);
  return next && Math.max(0, next.dueAt.getTime() - now.getTime());
}

/** Returns whether there may be more signals to emit. */
async function emitRound(deps: EmitDueDeps): Promise<boolean> {
  const now = deps.now();
  const servedOwners: string[] = [];
  let hasMore = false;
  while (servedOwners.length < maxOwners) {
    const next = await deps.signals.findNextDue(now, now, servedOwners);
    if (!next) return hasMore;
    servedOwners.push(next.ownerUserId);
    hasMore = (await emitSlice(deps, next.ownerUserId, now)) || hasMore;
  }
  return true;
}

/** Returns whether the owner may have more signals to emit. */
async function emitSlice(deps: EmitDueDeps, ownerUserId: string, now: Date): Promise<boolean> {
  const due = await deps.signals.listDue(ownerUserId, now, slice.signals);
  const endsAt = deps.now().getTime() + slice.ms;
  for (const [index, signal] of due.entries()) {
    await emitOne(deps, signal);
    if (deps.now().getTime() >= endsAt && index + 1 < due.length) return true;
  }
  return due.length === slice.signals;
}

async function emitOne(deps: EmitDueDeps, signal: Signal): Promise<void> {
  try {
    const draftDeliveries = deliveriesOf(signal);
    await deps.signalChanges.emitDue(signal, deps.now(), draftDeliveries);
    deps.wake();
  } catch (error) {
    deps.reportStuck(signal.id, error);
    await deps.signals.postpone(signal, new Date(deps.now().getTime() + retryMs));
  }
}
