import { FieldChecks, notFound } from '@daycare/errors';
import type { CronChange, CronStore } from '../store/cron-store';

export interface DeleteCronDeps {
  readonly crons: CronStore;
  readonly now: () => Date;
}

/** Removes a cron for good. A tick that is being fired at this moment may still be heard. */
export function makeDeleteCron({ crons, now }: DeleteCronDeps) {
  return async (change: CronChange): Promise<void> => {
    const { userId, cronId, requestId } = change;
    new FieldChecks().requestId(requestId).id(cronId, 'cron_id').done();
    if (!(await crons.delete({ userId, cronId, requestId }, now()))) throw notFound('cron');
  };
}
