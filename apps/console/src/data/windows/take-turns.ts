import { startPause } from '../timing/pause';
import { holdOneOf, isWanted } from './window-lock';

/**
 * Without HTTP/2, browsers allow six connections to an origin. The leading window uses two for the streams that all
 * windows share; these locks allow two more for following conversations or friends, so two are left for calls.
 */
const streamLocks = ['daycare.stream.0', 'daycare.stream.1'];
/** How long a window may keep its stream while others are waiting: longer in the focused window than elsewhere. */
const turnMs = { elsewhere: 2_000, focused: 8_000 } as const;

/** Reports whether the page was loaded over HTTP/2 or later, where one connection carries any number of streams. */
function isMultiplexed(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page !== undefined && /^h[23]/.test(page.nextHopProtocol);
}

/**
 * Runs a stream that only this window needs. If there are more such streams than connections for them, they take turns
 * of a few seconds; in each turn, `run` must resume after what it has received. Resolves when `run` does.
 */
export async function takeTurns(
  end: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (isMultiplexed()) return run(end);
  for (;;) {
    const held = await holdOneOf(streamLocks, end);
    const turnEnd = new AbortController();
    const turn = AbortSignal.any([end, turnEnd.signal]);
    void endTurn(turnEnd, turn);
    try {
      return await run(turn);
    } catch (error) {
      if (end.aborted || !turn.aborted) throw error;
    } finally {
      turnEnd.abort();
      held?.release();
    }
  }
}

/** Ends a turn when its time is up and another stream is waiting; both are checked every two seconds. */
async function endTurn(turnEnd: AbortController, turn: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  while (!turn.aborted) {
    await startPause(turnMs.elsewhere, turn).ended;
    const maxTurnMs = document.hasFocus() ? turnMs.focused : turnMs.elsewhere;
    const isOver = performance.now() - startedAt >= maxTurnMs;
    if (isOver && (await isWanted(streamLocks))) turnEnd.abort();
  }
}
