import { FieldChecks } from '@daycare/api';
import type { AgentReader } from '../../agents';
import type { CronStore } from '../store/cron-store';
import { describeCrons, type CronView } from './describe-runs';
import { findCron } from './find-cron';

export interface GetCronCall {
  readonly userId: string;
  readonly cronId: string;
}

export interface GetCronDeps {
  readonly crons: CronStore;
  readonly agents: Pick<AgentReader, 'findMany'>;
}

/** Returns one of the caller's crons, with its recent runs. */
export function makeGetCron({ crons, agents }: GetCronDeps) {
  return async (call: GetCronCall): Promise<CronView> => {
    new FieldChecks().id(call.cronId, 'cron_id').done();
    const cron = await findCron(crons, call);
    const [described] = await describeCrons(agents, [cron]);
    return described ?? { ...cron, runs: [] };
  };
}
