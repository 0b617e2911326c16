import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import { withChangeHint, type ServiceKit, type UserDataStore } from '@daycare/service-kit';
import type {
  AgentReader,
  AgentWriter,
  FindOrCreateAgent,
  OwnerOf,
  RankForeground,
} from '../agents';
import type {
  DeliverToAgent,
  DeliverToForeground,
  EndAgent,
  InboxReader,
  InboxWriter,
  MessageFiles,
} from '../messaging';
import { scheduleMoment, scheduleTime } from './domain/schedule-clock';
import { recordTicks } from './schedule-metrics';
import { ScheduleRunner } from './schedule-runner';
import { cronIndexes, CronStore } from './store/cron-store';
import { heartbeatIndexes, HeartbeatStore } from './store/heartbeat-store';
import { makeSurveySchedules } from './store/survey-schedules';
import { makeCreateCron } from './usecases/create-cron';
import { makeCreateHeartbeat } from './usecases/create-heartbeat';
import { makeDeleteCron } from './usecases/delete-cron';
import { makeDeleteHeartbeat } from './usecases/delete-heartbeat';
import { makeFireCron } from './usecases/firing/fire-cron';
import type { RecordTick } from './usecases/firing/fire-due';
import { makeFireHeartbeats } from './usecases/firing/fire-heartbeats';
import { makeEndRun } from './usecases/firing/end-run';
import { makeGetCron } from './usecases/get-cron';
import { makeListCrons } from './usecases/list-crons';
import { makeListHeartbeats } from './usecases/list-heartbeats';
import { makePauseCron } from './usecases/pause-cron';
import { makeRunCron } from './usecases/run-cron';
import { makeUpdateCron } from './usecases/update-cron';

export const schedulesIndexes: readonly CollectionIndexes[] = [cronIndexes, ...heartbeatIndexes];

export interface ScheduleStores {
  readonly crons: CronStore;
  readonly heartbeats: HeartbeatStore;
}

export interface ScheduleUsecasesDeps {
  readonly agents: AgentReader & AgentWriter;
  readonly inbox: InboxReader & InboxWriter;
  readonly endAgent: EndAgent;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly rankForeground: RankForeground;
  readonly deliverToAgent: DeliverToAgent;
  readonly deliverToForeground: DeliverToForeground;
  /** The files that people and agents have attached to messages. */
  readonly files: Pick<MessageFiles, 'findMany'>;
  /** Makes the agent's current turn, on whichever replica it runs, check whether it has to end. */
  readonly interruptAgent: (agentId: string) => void;
  readonly ownerOf: OwnerOf;
  /** Returns a user's time zone; empty when unknown. */
  readonly timeZoneOf: (userId: string) => Promise<string>;
  readonly shardOf: (userId: string) => number;
  readonly hintUser: (userId: string) => void;
  /** How many times faster than real time the schedule clock runs. */
  readonly scheduleSpeed: number;
  readonly heartbeatEveryMs: number;
  readonly now: () => Date;
}

export interface SchedulesDeps extends ScheduleUsecasesDeps {
  readonly db: Db;
  readonly kit: Pick<ServiceKit, 'log' | 'metrics' | 'stop'>;
}

export type Schedules = ReturnType<typeof buildSchedules>;

export interface RunnerOptions {
  /** The shards that this replica currently serves. */
  readonly servedShards: () => readonly number[];
}

const pollMs = 1_000;

/** Builds crons and heartbeats, and the runner that fires them. */
export function buildSchedules(deps: SchedulesDeps) {
  const crons = new CronStore(deps.db);
  const heartbeats = new HeartbeatStore(deps.db);
  const userDataStores: readonly UserDataStore[] = [crons, heartbeats];
  const recordTick = recordTicks(deps.kit.metrics);
  const built = buildScheduleUsecases({ crons, heartbeats }, deps, recordTick);
  const { usecases, firing, endRun } = built;
  return {
    crons,
    heartbeats,
    survey: makeSurveySchedules(deps.db),
    userDataStores,
    usecases,
    /** Called after the end of a turn that a schedule started. */
    endRun,
    /** Starts firing the due schedules in the shards that this replica serves. */
    startRunner: ({ servedShards }: RunnerOptions): ScheduleRunner => {
      const runner = new ScheduleRunner({
        crons,
        heartbeats,
        fireCron: firing.fireCron,
        fireHeartbeats: firing.fireHeartbeats,
        scheduleNow: firing.scheduleNow,
        servedShards,
        pollMs,
        scheduleSpeed: deps.scheduleSpeed,
        log: deps.kit.log,
      });
      deps.kit.stop.add('release', 'schedules', () => runner.stop());
      return runner;
    },
  };
}

/** Builds the usecases with the given stores, so that tests can pass stores that fail. */
export function buildScheduleUsecases(
  { crons, heartbeats }: ScheduleStores,
  deps: ScheduleUsecasesDeps,
  recordTick: RecordTick,
) {
  const { agents, inbox, endAgent, findOrCreateAgent, now } = deps;
  const { deliverToAgent, ownerOf, shardOf, heartbeatEveryMs, scheduleSpeed } = deps;
  const scheduleNow = (): Date => scheduleTime(now(), scheduleSpeed);
  const moment = () => scheduleMoment(now(), scheduleSpeed);
  const hintScheduleUser = (_result: unknown, { userId }: { readonly userId: string }): void =>
    deps.hintUser(userId);
  const { interruptAgent, rankForeground, timeZoneOf } = deps;
  const fireCron = makeFireCron({
    crons,
    agents,
    inbox,
    endAgent,
    findOrCreateAgent,
    deliverToAgent,
    interruptAgent,
    rankForeground,
    moment,
    recordTick,
    now,
  });
  return {
    endRun: makeEndRun({
      crons,
      heartbeats,
      files: deps.files,
      deliverToForeground: deps.deliverToForeground,
      hintUser: deps.hintUser,
      scheduleNow,
    }),
    usecases: {
      createCron: withChangeHint(
        makeCreateCron({
          crons,
          agents,
          findOrCreateAgent,
          ownerOf,
          timeZoneOf,
          shardOf,
          now,
          scheduleNow,
        }),
        hintScheduleUser,
      ),
      getCron: makeGetCron({ crons, agents }),
      listCrons: makeListCrons({ crons, agents }),
      runCron: withChangeHint(
        makeRunCron({ crons, agents, inbox, fireCron, scheduleNow }),
        hintScheduleUser,
      ),
      updateCron: withChangeHint(makeUpdateCron({ crons, scheduleNow }), hintScheduleUser),
      pauseCron: withChangeHint(makePauseCron({ crons, scheduleNow }), hintScheduleUser),
      deleteCron: withChangeHint(
        makeDeleteCron({ crons, agents, endAgent, findOrCreateAgent, now }),
        hintScheduleUser,
      ),
      createHeartbeat: withChangeHint(
        makeCreateHeartbeat({ heartbeats, heartbeatEveryMs, ownerOf, shardOf, now, scheduleNow }),
        hintScheduleUser,
      ),
      listHeartbeats: makeListHeartbeats({ heartbeats, agents }),
      deleteHeartbeat: withChangeHint(makeDeleteHeartbeat({ heartbeats, now }), hintScheduleUser),
    },
    firing: {
      scheduleNow,
      fireCron: withChangeHint(fireCron, hintScheduleUser),
      fireHeartbeats: withChangeHint(
        makeFireHeartbeats({
          heartbeats,
          inbox,
          findOrCreateAgent,
          deliverToAgent,
          heartbeatEveryMs,
          moment,
          recordTick,
        }),
        hintScheduleUser,
      ),
    },
  };
}

/** The operations on schedules that people and agents can call. */
export type ScheduleUsecases = Schedules['usecases'];
