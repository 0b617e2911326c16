import type { Trust as TrustLevel } from '@daycare/api';
import {
  CronStatus,
  OverlapPolicy,
  RunOutcome,
  type Cron as CronMessage,
  type Heartbeat as HeartbeatMessage,
  type ScheduleRun,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import { readWord } from '@daycare/rpc';
import { viewRuns, type RunView } from '../domain/run';
import { statusOf, type Cron, type Heartbeat } from '../domain/schedule';
import type { CronView, HeartbeatView } from '../usecases/describe-runs';

/** Returns the policy that a request names; undefined when it names none. */
export const readOverlap = (policy: OverlapPolicy) => readWord(OverlapPolicy, policy, 'overlap');

/** Returns a cron as lists show it, without its recent runs. */
export function toCronMessage(cron: CronView): CronMessage {
  const { id, userId, name, schedule, timeZone, prompt, agentId, once, quiet } = cron;
  const { nextFireAt, lastFiredAt, createdAt, trust } = cron;
  const facts = { id, userId, name, schedule, timeZone, prompt, agentId, once, quiet };
  const times = { nextFireAt, lastFiredAt, createdAt };
  const [lastRun] = cron.runs;
  return {
    ...facts,
    enabled: nextFireAt !== undefined,
    status: enumOf(CronStatus, statusOf(cron)),
    overlap: enumOf(OverlapPolicy, cron.overlap),
    ...times,
    lastRun: lastRun && toRunMessage(lastRun),
    recentRuns: [],
    ...writtenBy(trust),
  };
}

/** Returns a cron with its recent runs. */
export function toWholeCron(cron: CronView): CronMessage {
  return { ...toCronMessage(cron), recentRuns: cron.runs.map(toRunMessage) };
}

/** Returns a cron as it is stored, without looking up what its runs are waiting for. */
export function toStoredCron(cron: Cron): CronMessage {
  return toCronMessage({ ...cron, runs: viewRuns(cron.runs) });
}

/** Returns a heartbeat as lists show it. */
export function toHeartbeatMessage(heartbeat: HeartbeatView): HeartbeatMessage {
  const { id, userId, title, prompt, quiet, lastRunAt, lastRun, createdAt, trust } = heartbeat;
  const facts = { id, userId, title, prompt, quiet, lastRunAt, createdAt };
  return { ...facts, lastRun: lastRun && toRunMessage(lastRun), ...writtenBy(trust) };
}

/** Returns a heartbeat as it is stored, without looking up what its run is waiting for. */
export function toStoredHeartbeat({ lastRun, ...heartbeat }: Heartbeat): HeartbeatMessage {
  const [shown] = lastRun ? viewRuns([lastRun]) : [];
  return toHeartbeatMessage({ ...heartbeat, lastRun: shown });
}

function toRunMessage(run: RunView): ScheduleRun {
  const { dueAt, startedAt, endedAt, outcome, reason = '', manual = false, agentId } = run;
  const times = { dueAt, startedAt, endedAt };
  return { ...times, outcome: enumOf(RunOutcome, outcome), reason, manual, agentId };
}

/** Returns the trust of whoever wrote a schedule; empty for the user's own schedules. */
function writtenBy(trust: TrustLevel | undefined): Pick<CronMessage, 'writtenBy'> {
  return trust ? { writtenBy: enumOf(Trust, trust) } : {};
}
