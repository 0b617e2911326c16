import { withTimeout } from '@daycare/async';
import type { TurnInterrupts } from '../interrupts/turn-interrupts';
import type { Lease } from '../leases/lease';

/** A shard while this replica serves it. */
export interface ServedShard {
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly runs: Map<string, Run>;
  /** The agents that are waiting for a retry, or because of the limits on guests' turns. */
  readonly timers: Map<string, RetryTimer>;
  readonly unsubscribe: () => void;
  /** Whether no new turns may begin. */
  isStopping: boolean;
  /** Whether runs that do not end in time will be aborted, instead of keeping the shard here. */
  mustStop: boolean;
}

export interface RetryTimer {
  readonly timer: NodeJS.Timeout;
  readonly at: Date;
}

export interface Run {
  /** Whether new items may have arrived since the run last read the inbox. */
  mayHaveNewItems: boolean;
  /** Whether the run has a slot, so that a turn may be under way. */
  isInSlot: boolean;
  readonly interrupts: TurnInterrupts;
  readonly ended: Promise<void>;
}

/** Returns the runs that may have a turn under way. */
export function runsInSlots({ runs }: ServedShard): readonly Run[] {
  return [...runs.values()].filter(({ isInSlot }) => isInSlot);
}

/**
 * Waits for the turns in a shard that this replica stops serving, and returns whether they ended in time. Runs that
 * get a slot from now on end before they start a turn.
 */
export async function waitForTurns(served: ServedShard, timeoutMs: number): Promise<boolean> {
  const ended = Promise.all(runsInSlots(served).map((run) => run.ended));
  return withTimeout(ended, timeoutMs).then(
    () => true,
    () => false,
  );
}
