import type { Config } from './config';
import { scheduleMoment, scheduleTime } from './domain/schedule-clock';
import type { Stores } from './store/open-stores';
import { makeCreateCron } from './usecases/create-cron';
import { makeCreateHeartbeat } from './usecases/create-heartbeat';
import { makeDeleteCron } from './usecases/delete-cron';
import { makeDeleteHeartbeat } from './usecases/delete-heartbeat';
import type { FindOrMakeAgent } from './usecases/ensure-agent';
import { makeFireCron } from './usecases/fire-cron';
import type { ShowTick } from './usecases/fire-due';
import { makeFireHeartbeats } from './usecases/fire-heartbeats';
import { makeListCrons } from './usecases/list-crons';
import { makeListHeartbeats } from './usecases/list-heartbeats';
import { makePauseCron } from './usecases/pause-cron';
import type { RankForeground } from './usecases/rank-foreground';
import type { TellAgent } from './usecases/tell-agent';

export interface ScheduleParts {
  readonly stores: Pick<Stores, 'agents' | 'inbox' | 'crons' | 'heartbeats'>;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly tellAgent: TellAgent;
  readonly rankForeground: RankForeground;
  readonly shardOf: (userId: string) => number;
  readonly now: () => Date;
  readonly showTick: ShowTick;
}

/** What calls and tools do with schedules, and what fires them. */
export function buildSchedules(
  { scheduleSpeed, heartbeatEveryMs }: Pick<Config, 'scheduleSpeed' | 'heartbeatEveryMs'>,
  { stores, now, ...parts }: ScheduleParts,
) {
  const scheduleNow = (): Date => scheduleTime(now(), scheduleSpeed);
  const moment = () => scheduleMoment(now(), scheduleSpeed);
  const common = { ...stores, ...parts, now, scheduleNow, moment, heartbeatEveryMs };
  return {
    calls: {
      createCron: makeCreateCron(common),
      listCrons: makeListCrons(common),
      pauseCron: makePauseCron(common),
      deleteCron: makeDeleteCron(common),
      createHeartbeat: makeCreateHeartbeat(common),
      listHeartbeats: makeListHeartbeats(common),
      deleteHeartbeat: makeDeleteHeartbeat(common),
    },
    firing: {
      scheduleNow,
      fireCron: makeFireCron(common),
      fireHeartbeats: makeFireHeartbeats(common),
    },
  };
}
