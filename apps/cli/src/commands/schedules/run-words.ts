import {
  CronStatus,
  RunOutcome,
  type Cron,
  type ScheduleRun,
} from '@daycare/contracts/agent-runtime';
import { toAge } from '../../output/age';
import { safeLine } from '../../output/safe-text';
import { toTime, toWord } from '../../output/words';

/** Returns a cron's status. A service with an earlier version reports only whether the cron is enabled. */
export function statusWord({ status, enabled }: Pick<Cron, 'status' | 'enabled'>): string {
  return toWord(CronStatus, status) || (enabled ? 'active' : 'paused');
}

/** Describes when a run was due, and its outcome; empty before the first run. */
export function runWords(run: ScheduleRun | undefined): string {
  if (!run) return '';
  return [toTime(run.dueAt), outcomeWords(run)].join(' ');
}

/** Describes how long ago a run was due, and its outcome, e.g. `3h answered`; empty before the first run. */
export function ageOfRun(run: ScheduleRun | undefined, now: Date): string {
  return run ? `${toAge(run.dueAt, now)} ${outcomeWords(run)}` : '';
}

/** Describes a run's outcome, and the reason if there is one. */
function outcomeWords({ outcome, reason }: ScheduleRun): string {
  const word = toWord(RunOutcome, outcome);
  return reason === '' ? word : `${word}: ${safeLine(reason)}`;
}
