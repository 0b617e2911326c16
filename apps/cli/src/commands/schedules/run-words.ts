import {
  CronStatus,
  RunOutcome,
  type Cron,
  type ScheduleRun,
} from '@daycare/contracts/agent-runtime';
import { safeLine } from '../../output/safe-text';
import { toTime, toWord } from '../../output/words';

/** Whether a cron fires; a service that does not say is an earlier version. */
export function statusWord({ status, enabled }: Pick<Cron, 'status' | 'enabled'>): string {
  return toWord(CronStatus, status) || (enabled ? 'active' : 'paused');
}

/** When a run was due, and what became of it; empty before the first. */
export function runWords(run: ScheduleRun | undefined): string {
  if (!run) return '';
  return [toTime(run.dueAt), outcomeWords(run)].join(' ');
}

/** What became of a run, and why. */
export function outcomeWords({ outcome, reason }: ScheduleRun): string {
  const word = toWord(RunOutcome, outcome);
  return reason === '' ? word : `${word}: ${safeLine(reason)}`;
}
