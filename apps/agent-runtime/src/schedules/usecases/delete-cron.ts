import { FieldChecks, notFound } from '@daycare/api';
import type { CronChange } from '../store/cron-store';
import { endOwnAgent, type OwnAgentDeps } from './firing/cron-agent';

/**
 * Deletes a cron after ending its own agent: if this is interrupted, the cron still exists and can be deleted again. If
 * the cron names another agent, that agent may still receive the prompt of a tick that is being delivered right now.
 */
export function makeDeleteCron(deps: OwnAgentDeps) {
  const { crons, now } = deps;
  return async (change: CronChange): Promise<void> => {
    const { userId, cronId, requestId } = change;
    new FieldChecks().requestId(requestId).id(cronId, 'cron_id').done();
    const cron = await crons.find(userId, cronId);
    if (cron && cron !== 'deleted') await endOwnAgent(deps, cron);
    if (!(await crons.delete({ userId, cronId, requestId }, now()))) throw notFound('cron');
  };
}
