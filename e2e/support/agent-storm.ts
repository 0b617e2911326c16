import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@daycare/testing';
import type { AgentStack } from './agent-stack';
import { seededRandom } from './seeded-random';
import { proveStorm, type Proof } from './storm-proof';
import { StormTalk, type TalkOptions } from './storm-talk';

export interface StormOptions extends Omit<TalkOptions, 'seed'> {
  readonly seed?: number;
  /** Runs beside the senders; the storm is over when both are done. */
  readonly disturb?: (storm: StormProgress) => Promise<void>;
  /** Hears every few seconds how far it is. */
  readonly report?: (line: string) => void;
}

export interface StormProgress {
  readonly accepted: () => number;
  /** Aborted when everything has been sent. */
  readonly over: AbortSignal;
  readonly noteKill: () => void;
}

export interface StormFigures extends Proof {
  readonly messages: number;
  readonly kills: number;
  /** Calls that failed in doubt and were repeated. */
  readonly repeatedCalls: number;
  readonly sendingMs: number;
  /** Until the last inbox was empty. */
  readonly handlingMs: number;
}

const reportEveryMs = 5_000;
const drainWithinMs = 120_000;
/** So many messages per agent wait at most, so that agents are at work all the time. */
const waitingPerAgent = 4;

/** Senders write to agents while something disturbs the replicas; then the records are checked. */
export async function runStorm(options: StormOptions): Promise<StormFigures> {
  const { agents, agentCount, report = () => undefined, seed = 1 } = options;
  const talk = await StormTalk.prepare({ ...options, seed });
  const startedMs = performance.now();
  const sinceStartMs = (): number => Math.round(performance.now() - startedMs);
  const watch = watchInboxes(agents, talk, agentCount * waitingPerAgent);
  const over = new AbortController();
  let kills = 0;
  const tell = (): void =>
    report(`${talk.accepted.length} accepted, ${watch.waiting()} wait, ${kills} kills`);
  const reporter = setInterval(tell, reportEveryMs);
  try {
    const progress: StormProgress = {
      accepted: () => talk.accepted.length,
      over: over.signal,
      noteKill: () => (kills += 1),
    };
    const sending = talk.run().finally(() => over.abort());
    await Promise.all([sending, options.disturb?.(progress)]);
    const sendingMs = sinceStartMs();
    await whenDrained(agents, drainWithinMs);
    const handlingMs = sinceStartMs();
    tell();
    const proof = await proveStorm(agents, talk);
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
 * Kills replicas and starts them again, in turn: mostly one, now and then two or all at once. A new
 * round begins every so often, but not before those of the last one serve again.
 */
export function killReplicas(agents: AgentStack, everyMs: number, seed = 1) {
  const random = seededRandom(seed);
  const count = agents.runtimes.length;
  const crash = async (replica: number): Promise<void> => {
    await agents.replica(replica).kill();
    await agents.replica(replica).restart();
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

/** Resolves when nothing waits in any inbox. */
export async function whenDrained({ db }: AgentStack, timeoutMs: number): Promise<void> {
  await eventually(
    async () => (await db.collection('inbox').countDocuments({ waiting: true })) === 0,
    {
      timeoutMs,
      intervalMs: 100,
    },
  );
}

function watchInboxes({ db }: AgentStack, talk: StormTalk, limit: number) {
  let waiting = 0;
  const look = async (): Promise<void> => {
    waiting = await db.collection('inbox').countDocuments({ waiting: true });
  };
  const timer = setInterval(() => void look().catch(() => undefined), 250);
  talk.mayGoOn = () => waiting <= limit;
  return { waiting: () => waiting, stop: () => clearInterval(timer) };
}
