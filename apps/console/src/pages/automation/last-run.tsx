import type { ScheduleRun } from '@daycare/contracts/agent-runtime';
import { Badge } from '../../ui/layout';
import { Time } from '../../ui/time/time';
import { describeRun } from './describe-run';

/** A schedule's latest run: its time, its outcome and the reason for the outcome. */
export function LastRun({ run }: { readonly run: ScheduleRun | undefined }) {
  if (!run) return <>It has not run yet.</>;
  const { text, kind } = describeRun(run);
  return (
    <>
      Last run <Time at={run.startedAt ?? run.dueAt} /> <Badge kind={kind}>{text}</Badge>
      {run.reason !== '' && <> {run.reason}</>}
    </>
  );
}
