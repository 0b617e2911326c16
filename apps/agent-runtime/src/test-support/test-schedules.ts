import { createId } from '@daycare/api/create-id';
import { OutboxStore } from '@daycare/messaging';
import {
  buildScheduleUsecases,
  type ScheduleStores,
  type ScheduleUsecasesDeps,
} from '../schedules/build';
import type { Agent } from '../agents/domain/agent';
import { FileStore } from '../files/store/file-store';
import type { InboxItem } from '../messaging/domain/inbox-item';
import type { Cron } from '../schedules/domain/schedule';
import { CronStore, type FiringCron } from '../schedules/store/cron-store';
import { HeartbeatStore } from '../schedules/store/heartbeat-store';
import type { RecordTick } from '../schedules/usecases/firing/fire-due';
import { makeSurveySchedules } from '../schedules/store/survey-schedules';
import { makeRankForeground } from '../agents/usecases/rank-foreground';
import { makeDeliverToAgent } from '../messaging/usecases/delivery/deliver-to-agent';
import { makeDeliverToForeground } from '../messaging/usecases/delivery/deliver-to-foreground';
import { makeRouteMailbox } from '../messaging/usecases/inbox/route-mailbox';
import { startTestRuntime, type TestRuntimeOptions } from './test-runtime';

export const heartbeatEveryMs = 30 * 60_000;

export type TestScheduleDeps = ScheduleStores &
  ScheduleUsecasesDeps & { readonly recordTick: RecordTick };

/** Builds the usecases of one replica, in which some dependencies may be replaced by failing ones. */
const buildReplica = (deps: TestScheduleDeps, broken: Partial<TestScheduleDeps> = {}) => {
  const replaced = { ...deps, ...broken };
  return buildScheduleUsecases(replaced, replaced, replaced.recordTick);
};

export type TestSchedules = Awaited<ReturnType<typeof startTestSchedules>>;

/**
 * Schedules on a real MongoDB, with a clock that stands still until it is set. All schedules are in shard 0.
 */
export async function startTestSchedules(
  startAt = new Date('2026-03-10T10:00:30Z'),
  options: TestRuntimeOptions = {},
) {
  const runtime = await startTestRuntime({
    // `deps` contains the runtime, so it exists only once the runtime has started.
    endRun: (turn) => buildReplica(deps).endRun(turn),
    ...options,
  });
  const { db } = runtime.mongo;
  const clock = { now: startAt };
  const now = (): Date => clock.now;
  const stores = { crons: new CronStore(db), heartbeats: new HeartbeatStore(db) };
  const outbox = new OutboxStore(db, 'agent-runtime');
  const rankForeground = makeRankForeground({ ...runtime, sleepAfterMs: 60_000, now });
  const routeMailbox = makeRouteMailbox({ ...runtime, rankForeground, now });
  const deps: TestScheduleDeps = {
    recordTick: () => undefined,
    ...stores,
    agents: runtime.agents,
    inbox: runtime.inbox,
    endAgent: runtime.endAgent,
    scheduleSpeed: 1,
    heartbeatEveryMs,
    now,
    hintUser: () => undefined,
    ownerOf: async (userId) => userId.split('-of-')[1] ?? userId,
    shardOf: () => 0,
    findOrCreateAgent: async (userId, descriptor) => ({
      agent: await runtime.newAgent(descriptor, userId),
      created: true,
    }),
    deliverToAgent: makeDeliverToAgent({ ...runtime, outbox, now }),
    deliverToForeground: makeDeliverToForeground({ ...runtime, rankForeground, routeMailbox, now }),
    files: new FileStore(db),
    interruptAgent: (agentId) => runtime.feed.interrupt([agentId]),
    timeZoneOf: async () => '',
    rankForeground,
  };
  return {
    ...runtime,
    ...stores,
    surveySchedules: makeSurveySchedules(db),
    ...buildReplica(deps).usecases,
    runtime,
    routeMailbox,
    clock,
    now,
    deps,
    /** Another replica's ticks; its dependencies may be replaced by failing ones. */
    replica: (broken?: Partial<TestScheduleDeps>) => buildReplica(deps, broken).firing,
    /** Another replica's handling of the end of a turn. */
    endRun: (broken?: Partial<TestScheduleDeps>) => buildReplica(deps, broken).endRun,
    /** Another replica's usecases; their dependencies may be replaced by failing ones. */
    newUsecases: (broken: Partial<TestScheduleDeps>) => buildReplica(deps, broken).usecases,
    receivedBy: ({ id }: Pick<Agent, 'id'>): Promise<InboxItem[]> =>
      runtime.inbox.next({ id }, 1_000),
    close: () => runtime.close(),
  };
}

/** A call that creates a cron. */
export function cronCall(userId: string, overrides: object = {}) {
  return {
    userId,
    requestId: createId(),
    name: 'Tidy up',
    schedule: '* * * * *',
    timeZone: '',
    prompt: 'Tidy up the house',
    agentId: '',
    once: false,
    ...overrides,
  };
}

/** A replica that dies at the given step of a tick, before or after the step takes effect. */
export function dyingAt(
  schedules: TestSchedules,
  step: 'claim' | 'deliver' | 'finish',
  when: 'before' | 'after',
) {
  const dying =
    <A extends unknown[], R>(isChosenStep: boolean, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isChosenStep && when === 'before') throw new Error('killed');
      const outcome = await act(...args);
      if (isChosenStep) throw new Error('killed');
      return outcome;
    };
  const crons = new CronStore(schedules.runtime.mongo.db);
  const { ticks } = schedules.crons;
  Object.assign(crons, {
    ticks: {
      claim: dying(step === 'claim', ticks.claim.bind(ticks)),
      finish: dying(step === 'finish', ticks.finish.bind(ticks)),
      end: dying(step === 'finish', ticks.end.bind(ticks)),
    },
  });
  const { deps } = schedules;
  const deliverToAgent = dying(step === 'deliver', deps.deliverToAgent);
  return schedules.replica({ crons, deliverToAgent });
}

/** Returns the cron as a poll would find it now; undefined if there is nothing to do for it. */
export async function findDue(
  schedules: TestSchedules,
  { id }: Cron,
): Promise<FiringCron | undefined> {
  for await (const cron of schedules.crons.findOpen([0], schedules.now()))
    if (cron.id === id) return cron;
  return undefined;
}

/** Fires the cron once in a replica if it is due; returns whether that failed. */
export async function pollCron(
  schedules: TestSchedules,
  cron: Cron,
  replica = schedules.replica(),
): Promise<boolean> {
  const found = await findDue(schedules, cron);
  if (!found) return false;
  return replica
    .fireCron(found, () => true)
    .then(
      () => false,
      () => true,
    );
}
