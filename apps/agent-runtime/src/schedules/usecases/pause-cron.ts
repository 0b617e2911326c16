import { FieldChecks } from '@daycare/api';
import { nextTick } from '../domain/cron-schedule';
import type { Cron } from '../domain/schedule';
import type { CronChange, CronStore } from '../store/cron-store';
import { findCron, alreadyFired } from './find-cron';

export interface PauseCronCall extends CronChange {
  /** Whether to resume the cron instead; ticks missed while it was paused do not fire. */
  readonly resume: boolean;
}

export interface PauseCronDeps {
  readonly crons: CronStore;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

/** Pauses or resumes a cron. */
export function makePauseCron({ crons, scheduleNow }: PauseCronDeps) {
  return async (call: PauseCronCall): Promise<Cron> => {
    new FieldChecks().requestId(call.requestId).id(call.cronId, 'cron_id').done();
    // In this order, so that the returned cron is no older than the change.
    const isApplied = await crons.hasApplied(call);
    const cron = await findCron(crons, call);
    if (isApplied) return cron;
    const isChanged = call.resume
      ? await crons.resume(call, firstTickAfter(cron, scheduleNow()))
      : await crons.pause(call);
    const changed = await findCron(crons, call);
    if (!isChanged && !(await crons.hasApplied(call))) throw alreadyFired();
    return changed;
  };
}

function firstTickAfter(cron: Cron, now: Date): Date {
  const next = nextTick(cron, now);
  if (next) return next;
  throw alreadyFired();
}
