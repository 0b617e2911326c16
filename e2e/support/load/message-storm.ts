import { pause } from '@daycare/async';
import { eventually } from '@daycare/testing';
import type { Stack } from '../stack/stack';
import { seededRandom } from './seeded-random';
import { checkRecords, type RecordCheck } from './check-records';
import { StormSenders, type SenderOptions } from './storm-senders';
import { waitingItems } from '../stack/inbox-filters';

export interface StormOptions extends Omit<SenderOptions, 'seed'> {
  readonly seed?: number;
  /** Runs while the senders send. The records are checked once both are done and the inboxes are empty. */
  readonly disturb?: (storm: StormProgress) => Promise<void>;
  /** Called every few seconds with the progress. */
  readonly report?: (line: string) => void;
}

export interface StormProgress {
  readonly accepted: () => number;
  /** Aborts when everything has been sent. */
  readonly endOfSending: AbortSignal;
  readonly countKill: () => void;
}

export interface StormFigures extends RecordCheck {
  readonly messages: number;
  readonly kills: number;
  /** How many retries were made because the outcome of a call was unknown. */
  readonly retriedCalls: number;
  /** From the start until all messages were accepted. */
  readonly sendingMs: number;
  /** From the start until the last inbox was empty. */
  readonly handlingMs: number;
}

const reportEveryMs = 5_000;
const drainWithinMs = 120_000;
/** Keeps agents busy without letting their inboxes grow. */
const maxWaitingPerAgent = 4;

/** Sends messages to agents while `disturb` runs, then checks the records. */
export async function runStorm(options: StormOptions): Promise<StormFigures> {
  const { stack, agentCount, report = () => undefined, seed = 1 } = options;
  const senders = await StormSenders.prepare({ ...options, seed });
  const startedMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedMs);
  const watch = watchInboxes(stack, senders, agentCount * maxWaitingPerAgent);
  const endOfSending = new AbortController();
  let kills = 0;
  const reportProgress = (): void =>
    report(`${senders.accepted.length} accepted, ${watch.waiting()} waiting, ${kills} kills`);
  const reporter = setInterval(reportProgress, reportEveryMs);
  try {
    const progress: StormProgress = {
      accepted: () => senders.accepted.length,
      endOfSending: endOfSending.signal,
      countKill: () => (kills += 1),
    };
    const sending = senders
      .run()
      .then(elapsedMs)
      .finally(() => endOfSending.abort());
    const [sendingMs] = await Promise.all([sending, options.disturb?.(progress)]);
    await whenDrained(stack, drainWithinMs);
    const handlingMs = elapsedMs();
    reportProgress();
    const recordCheck = await checkRecords(stack, senders);
    const { accepted, retriedCalls } = senders;
    return {
      messages: accepted.length,
      kills,
      retriedCalls,
      sendingMs,
      handlingMs,
      ...recordCheck,
    };
  } finally {
    clearInterval(reporter);
    watch.stop();
  }
}

/**
 * Kills and restarts replicas in turn: usually one at a time, sometimes two or all of them. A new round begins every
 * `everyMs`, but not before the replicas killed in the previous round have restarted.
 */
export function killReplicas(stack: Stack, everyMs: number, seed = 1) {
  const random = seededRandom(seed);
  const count = stack.runtimes.length;
  const crash = async (replica: number): Promise<void> => {
    await stack.service('agent-runtime', replica).kill();
    await stack.service('agent-runtime', replica).restart();
  };
  return async ({ endOfSending, countKill }: StormProgress): Promise<void> => {
    for (let next = 0; !endOfSending.aborted;) {
      const victims = Array.from({ length: victimCount(count, random()) }, () => next++ % count);
      victims.forEach(countKill);
      await Promise.all([pause(everyMs, endOfSending), ...victims.map(crash)]);
    }
  };
}

function victimCount(replicas: number, random: number): number {
  if (random < 0.05) return replicas;
  return Math.min(random < 0.15 ? 2 : 1, replicas);
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

/** Counts the waiting messages, and pauses the senders while there are more than `limit`. */
function watchInboxes({ db }: Stack, senders: StormSenders, limit: number) {
  let waiting = 0;
  const refresh = async (): Promise<void> => {
    waiting = await db('agent-runtime').collection('inbox').countDocuments(waitingItems);
  };
  const timer = setInterval(() => void refresh().catch(() => undefined), 250);
  senders.mayContinue = () => waiting <= limit;
  return { waiting: () => waiting, stop: () => clearInterval(timer) };
}
