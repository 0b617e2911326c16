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
import { ScheduleRunner } from './usecases/firing/schedule-runner';
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
    /** To be called after a turn that a schedule started has ended; may be repeated. */
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
  const { fireCron, ...cronUsecases } = buildCronUsecases(crons, deps, recordTick);
  const { fireHeartbeats, ...heartbeatUsecases } = buildHeartbeatUsecases(
    heartbeats,
    deps,
    recordTick,
  );
  const { scheduleNow } = clockOf(deps);
  return {
    endRun: makeEndRun({
      crons,
      heartbeats,
      files: deps.files,
      deliverToForeground: deps.deliverToForeground,
      hintUser: deps.hintUser,
      scheduleNow,
    }),
    usecases: { ...cronUsecases, ...heartbeatUsecases },
    firing: { scheduleNow, fireCron, fireHeartbeats },
  };
}

function buildCronUsecases(crons: CronStore, deps: ScheduleUsecasesDeps, recordTick: RecordTick) {
  const { agents, inbox, endAgent, findOrCreateAgent, now } = deps;
  const { scheduleNow, moment } = clockOf(deps);
  const hint = hintTo(deps);
  const fireCron = makeFireCron({
    crons,
    agents,
    inbox,
    endAgent,
    findOrCreateAgent,
    deliverToAgent: deps.deliverToAgent,
    interruptAgent: deps.interruptAgent,
    rankForeground: deps.rankForeground,
    moment,
    recordTick,
    now,
  });
  const createCron = makeCreateCron({
    crons,
    agents,
    findOrCreateAgent,
    ownerOf: deps.ownerOf,
    timeZoneOf: deps.timeZoneOf,
    shardOf: deps.shardOf,
    now,
    scheduleNow,
  });
  const runCron = makeRunCron({ crons, agents, inbox, fireCron, scheduleNow });
  const deleteCron = makeDeleteCron({ crons, agents, endAgent, findOrCreateAgent, now });
  return {
    fireCron: withChangeHint(fireCron, hint),
    createCron: withChangeHint(createCron, hint),
    getCron: makeGetCron({ crons, agents }),
    listCrons: makeListCrons({ crons, agents }),
    runCron: withChangeHint(runCron, hint),
    updateCron: withChangeHint(makeUpdateCron({ crons, scheduleNow }), hint),
    pauseCron: withChangeHint(makePauseCron({ crons, scheduleNow }), hint),
    deleteCron: withChangeHint(deleteCron, hint),
  };
}

function buildHeartbeatUsecases(
  heartbeats: HeartbeatStore,
  deps: ScheduleUsecasesDeps,
  recordTick: RecordTick,
) {
  const { heartbeatEveryMs, now } = deps;
  const { scheduleNow, moment } = clockOf(deps);
  const hint = hintTo(deps);
  const fireHeartbeats = makeFireHeartbeats({
    heartbeats,
    inbox: deps.inbox,
    findOrCreateAgent: deps.findOrCreateAgent,
    deliverToAgent: deps.deliverToAgent,
    heartbeatEveryMs,
    moment,
    recordTick,
  });
  const createHeartbeat = makeCreateHeartbeat({
    heartbeats,
    heartbeatEveryMs,
    ownerOf: deps.ownerOf,
    shardOf: deps.shardOf,
    now,
    scheduleNow,
  });
  return {
    fireHeartbeats: withChangeHint(fireHeartbeats, hint),
    createHeartbeat: withChangeHint(createHeartbeat, hint),
    listHeartbeats: makeListHeartbeats({ heartbeats, agents: deps.agents }),
    deleteHeartbeat: withChangeHint(makeDeleteHeartbeat({ heartbeats, now }), hint),
  };
}

/** Returns functions that read the schedule clock: its time alone, and its time together with the grace period. */
function clockOf({ now, scheduleSpeed }: Pick<ScheduleUsecasesDeps, 'now' | 'scheduleSpeed'>) {
  return {
    scheduleNow: () => scheduleTime(now(), scheduleSpeed),
    moment: () => scheduleMoment(now(), scheduleSpeed),
  };
}

/** Returns a function that publishes the hint that the schedules of a call's user have changed. */
function hintTo({ hintUser }: Pick<ScheduleUsecasesDeps, 'hintUser'>) {
  return (_result: unknown, { userId }: { readonly userId: string }): void => hintUser(userId);
}

/** The operations on schedules that people and agents can call. */
export type ScheduleUsecases = Schedules['usecases'];
