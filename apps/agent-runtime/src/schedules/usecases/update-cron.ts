import { FieldChecks, isForeign, lowestTrust } from '@daycare/api';
import { nextTick, tidySchedule } from '../domain/cron-schedule';
import type { OverlapPolicy } from '../domain/run';
import {
  checkCron,
  statusOf,
  type CreatingTurn,
  type Cron,
  type ScheduleProvenance,
} from '../domain/schedule';
import type { CronChange, CronEdit, CronStore } from '../store/cron-store';
import { findCron, alreadyFired, beingChanged } from './find-cron';

/** Undefined fields stay the same. */
export interface CronChanges {
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  readonly prompt?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly overlap?: OverlapPolicy | undefined;
  readonly quiet?: boolean | undefined;
}

export interface UpdateCronCall extends CronChange, CreatingTurn, CronChanges {}

export interface UpdateCronDeps {
  readonly crons: CronStore;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

const maxAttempts = 5;

/** Changes a cron and when it fires. Runs in progress continue unchanged. */
export function makeUpdateCron({ crons, scheduleNow }: UpdateCronDeps) {
  return async (call: UpdateCronCall): Promise<Cron> => {
    checkCall(call);
    for (let attempt = 0; ; attempt += 1) {
      // In this order, so that the returned cron is no older than the change.
      const isApplied = await crons.hasApplied(call);
      const cron = await findCron(crons, call);
      if (isApplied) return cron;
      if (attempt === maxAttempts) throw beingChanged();
      await crons.edit(call, cron, editOf(cron, call, scheduleNow()));
    }
  };
}

const fields = ['name', 'schedule', 'prompt', 'timeZone', 'overlap', 'quiet'] as const;

function checkCall(call: UpdateCronCall): void {
  const hasChange = fields.some((field) => call[field] !== undefined);
  new FieldChecks()
    .requestId(call.requestId)
    .id(call.cronId, 'cron_id')
    .require(hasChange, 'name', 'or another field to change is required')
    .done();
}

/**
 * Returns the edit. Changed and unchanged fields are checked together, because a schedule is checked in its time zone.
 */
function editOf(cron: Cron, call: UpdateCronCall, now: Date): CronEdit {
  const changed = changesOf(call);
  const next = { ...cron, ...changed };
  const checks = new FieldChecks();
  const untrimmed = { name: call.name ?? cron.name, prompt: call.prompt ?? cron.prompt };
  checkCron({ ...next, ...untrimmed }, checks, now);
  checks.done();
  const movesTick = changed.schedule !== undefined || changed.timeZone !== undefined;
  if (movesTick && statusOf(cron) === 'finished') throw alreadyFired();
  return {
    ...changed,
    ...(movesTick ? { nextFireAt: nextTick(next, now) } : {}),
    provenance: provenanceAfter(cron, call),
  };
}

/** Returns the changed fields in their stored form. */
function changesOf({ name, schedule, prompt, timeZone, overlap, quiet }: CronChanges) {
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(schedule === undefined ? {} : { schedule: tidySchedule(schedule) }),
    ...(prompt === undefined ? {} : { prompt: prompt.trim() }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(quiet === undefined ? {} : { quiet }),
  };
}

/**
 * A cron that foreign turns have created or changed becomes the user's own only when the user, directly or in one of
 * the user's own turns, replaces both its name and its prompt in one call. Until then it has the lowest trust of those
 * turns.
 */
function provenanceAfter(
  { trust: before, carriesPrivate }: Cron,
  { trust = 'person', readPrivate = false, name, prompt }: UpdateCronCall,
): ScheduleProvenance {
  const isOwn = !isForeign(trust);
  const isRewritten = isOwn && name !== undefined && prompt !== undefined;
  const isEdited = name !== undefined || prompt !== undefined;
  const isPrivate =
    (readPrivate && (isEdited || !isOwn)) || (carriesPrivate === true && !isRewritten);
  if (isRewritten || (isOwn && !before)) return isPrivate ? { carriesPrivate: true } : {};
  const lowest = before ? lowestTrust(before, isOwn ? before : trust) : trust;
  return { trust: lowest, ...(isPrivate ? { carriesPrivate: true } : {}) };
}
