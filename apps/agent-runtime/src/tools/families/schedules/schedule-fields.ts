import { z } from 'zod';
import { maxSchedules, type RunView } from '../../../schedules';

/** The argument `quiet` of crons and heartbeats. */
export const quiet = z
  .boolean()
  .describe('True if the answers should not be shown to your user, e.g. for housekeeping');

/** A page that has room for all of a user's schedules of one kind. */
export const firstPage = { pageSize: maxSchedules, pageToken: '' };

/** Describes a schedule's newest run in a list. */
export function lastRunText(run: RunView | undefined): string {
  return run ? `last=${run.dueAt.toISOString()} ${run.outcome}` : 'last=never';
}
