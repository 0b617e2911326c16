import {
  CronStatus,
  RunOutcome,
  type Cron,
  type ScheduleRun,
} from '@daycare/contracts/agent-runtime';
import { toAge } from '../../output/age';
import { safeLine } from '../../output/safe-text';
import { toTime, toWord } from '../../output/words';

/** The status of a cron. A service of an earlier version reports only whether the cron is enabled. */
export function statusWord({ status, enabled }: Pick<Cron, 'status' | 'enabled'>): string {
  return toWord(CronStatus, status) || (enabled ? 'active' : 'paused');
}

/** When a run was due, and its outcome; empty before the first run. */
export function runWords(run: ScheduleRun | undefined): string {
  if (!run) return '';
  return [toTime(run.dueAt), outcomeWords(run)].join(' ');
}

/** How long ago a run was due, and its outcome, e.g. `3h answered`; empty before the first run. */
export function ageOfRun(run: ScheduleRun | undefined, now: Date): string {
  return run ? `${toAge(run.dueAt, now)} ${outcomeWords(run)}` : '';
}

/** The outcome of a run, and the reason. */
export function outcomeWords({ outcome, reason }: ScheduleRun): string {
  const word = toWord(RunOutcome, outcome);
  return reason === '' ? word : `${word}: ${safeLine(reason)}`;
}
