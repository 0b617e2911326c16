import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@daycare/testing';
import type { Stack } from '../stack/stack';
import { seededRandom } from './seeded-random';
import { checkRecords, type RecordCheck } from './check-records';
import { StormSenders, type SenderOptions } from './storm-senders';
import { waitingItems } from '../stack/inbox-filters';

export interface StormOptions extends Omit<SenderOptions, 'seed'> {
  readonly seed?: number;
  /** Runs beside the senders; the storm ends when both are done. */
  readonly disturb?: (storm: StormProgress) => Promise<void>;
  /** Called every few seconds with the progress. */
  readonly report?: (line: string) => void;
}

export interface StormProgress {
  readonly accepted: () => number;
  /** Aborted when everything has been sent. */
  readonly over: AbortSignal;
  readonly noteKill: () => void;
}

export interface StormFigures extends RecordCheck {
  readonly messages: number;
  readonly kills: number;
  /** Calls that were repeated because their outcome was unknown. */
  readonly repeatedCalls: number;
  readonly sendingMs: number;
  /** Until the last inbox was empty. */
  readonly handlingMs: number;
}

const reportEveryMs = 5_000;
const drainWithinMs = 120_000;
/** Keeps agents busy without letting their inboxes grow. */
const waitingPerAgent = 4;

/** Sends messages to agents while `disturb` runs, then checks the records. */
export async function runStorm(options: StormOptions): Promise<StormFigures> {
  const { stack, agentCount, report = () => undefined, seed = 1 } = options;
  const talk = await StormSenders.prepare({ ...options, seed });
  const startedMs = performance.now();
  const sinceStartMs = (): number => Math.round(performance.now() - startedMs);
  const watch = watchInboxes(stack, talk, agentCount * waitingPerAgent);
  const over = new AbortController();
  let kills = 0;
  const reportProgress = (): void =>
    report(`${talk.accepted.length} accepted, ${watch.waiting()} waiting, ${kills} kills`);
  const reporter = setInterval(reportProgress, reportEveryMs);
  try {
    const progress: StormProgress = {
      accepted: () => talk.accepted.length,
      over: over.signal,
      noteKill: () => (kills += 1),
    };
    const sending = talk.run().finally(() => over.abort());
    await Promise.all([sending, options.disturb?.(progress)]);
    const sendingMs = sinceStartMs();
    await whenDrained(stack, drainWithinMs);
    const handlingMs = sinceStartMs();
    reportProgress();
    const proof = await checkRecords(stack, talk);
    const { accepted, repeated: repeatedCalls } = talk;
    return {
      messages: accepted.length,
      kills,
      repeatedCalls,
      sendingMs,
      handlingMs,
      ...proof,
    };
  } finally {
    clearInterval(reporter);
    watch.stop();
  }
}

/**
 * Kills and restarts replicas in turn: mostly one, sometimes two or all together. A new round
 * begins every `everyMs`, but not before the replicas of the last one serve again.
 */
export function killReplicas(stack: Stack, everyMs: number, seed = 1) {
  const random = seededRandom(seed);
  const count = stack.runtimes.length;
  const crash = async (replica: number): Promise<void> => {
    await stack.service('agent-runtime', replica).kill();
    await stack.service('agent-runtime', replica).restart();
  };
  return async ({ over, noteKill }: StormProgress): Promise<void> => {
    for (let next = 0; !over.aborted;) {
      const victims = Array.from({ length: victimCount(count, random()) }, () => next++ % count);
      victims.forEach(noteKill);
      const pause = delay(everyMs, undefined, { signal: over }).catch(() => undefined);
      await Promise.all([pause, ...victims.map(crash)]);
    }
  };
}

function victimCount(replicas: number, dice: number): number {
  if (dice < 0.05) return replicas;
  return Math.min(dice < 0.15 ? 2 : 1, replicas);
}

/** Resolves when nothing is waiting in any inbox. */
export async function whenDrained({ db }: Stack, timeoutMs: number): Promise<void> {
  await eventually(
    async () => (await db('agent-runtime').collection('inbox').countDocuments(waitingItems)) === 0,
    {
      timeoutMs,
      intervalMs: 100,
    },
  );
}

function watchInboxes({ db }: Stack, talk: StormSenders, limit: number) {
  let waiting = 0;
  const refresh = async (): Promise<void> => {
    waiting = await db('agent-runtime').collection('inbox').countDocuments(waitingItems);
  };
  const timer = setInterval(() => void refresh().catch(() => undefined), 250);
  talk.mayContinue = () => waiting <= limit;
  return { waiting: () => waiting, stop: () => clearInterval(timer) };
}
