import { RunOutcome, type ScheduleRun } from '@daycare/contracts/agent-runtime';

interface DescribedRun {
  readonly text: string;
  readonly kind: 'good' | 'plain' | 'warn' | 'bad';
}

const outcomes: Readonly<Partial<Record<RunOutcome, DescribedRun>>> = {
  [RunOutcome.RUNNING]: { text: 'Running', kind: 'plain' },
  [RunOutcome.QUEUED]: { text: 'Queued', kind: 'plain' },
  [RunOutcome.WAITING]: { text: 'Waiting', kind: 'warn' },
  [RunOutcome.ANSWERED]: { text: 'Answered', kind: 'good' },
  [RunOutcome.FAILED]: { text: 'Failed', kind: 'bad' },
  [RunOutcome.STOPPED]: { text: 'Stopped', kind: 'warn' },
  [RunOutcome.SKIPPED]: { text: 'Skipped', kind: 'warn' },
  [RunOutcome.REPLACED]: { text: 'Replaced', kind: 'warn' },
};

/** Describes the outcome of a scheduled run, for a badge. */
export function describeRun({ outcome }: ScheduleRun): DescribedRun {
  return outcomes[outcome] ?? { text: 'Unknown', kind: 'plain' };
}
