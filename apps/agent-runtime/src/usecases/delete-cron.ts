import { FieldChecks, notFound } from '@daycare/errors';
import type { CronChange } from '../store/cron-store';
import { endOwnAgent, type OwnAgentDeps } from './own-agent';

/**
 * Removes a cron for good, and its own agent before it: should this be cut off, the cron is still there
 * to be removed. A tick that is being fired at this moment may still be heard by an agent that was named.
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
