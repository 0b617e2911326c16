import { createId } from '@paralleldrive/cuid2';
import { OutboxStore } from '@daycare/messaging';
import { buildSchedules, type ScheduleParts } from '../build-schedules';
import type { Agent } from '../domain/agent';
import type { InboxItem } from '../domain/inbox-item';
import { CronStore } from '../store/cron-store';
import { HeartbeatStore } from '../store/heartbeat-store';
import { makeRankForeground } from '../usecases/rank-foreground';
import { makeTellAgent } from '../usecases/tell-agent';
import { startTestRuntime } from './test-runtime';

export const heartbeatEveryMs = 30 * 60_000;

export type TestSchedules = Awaited<ReturnType<typeof startTestSchedules>>;

/** Schedules on a real MongoDB, with a clock that stands still until it is set. All are in shard 0. */
export async function startTestSchedules(startAt = new Date('2026-03-10T10:00:30Z')) {
  const runtime = await startTestRuntime();
  const { db } = runtime.mongo;
  const clock = { now: startAt };
  const now = (): Date => clock.now;
  const stores = { ...runtime, crons: new CronStore(db), heartbeats: new HeartbeatStore(db) };
  const outbox = new OutboxStore(db, 'agent-runtime');
  const wakeOutbox = (): void => undefined;
  const parts: ScheduleParts = {
    stores,
    now,
    showTick: () => undefined,
    shardOf: () => 0,
    findOrMakeAgent: async (userId, descriptor) => ({
      agent: await runtime.newAgent(descriptor, userId),
      created: true,
    }),
    tellAgent: makeTellAgent({ ...runtime, outbox, wakeOutbox, now }),
    rankForeground: makeRankForeground({ ...runtime, sleepAfterMs: 60_000, now }),
  };
  const config = { scheduleSpeed: 1, heartbeatEveryMs };
  return {
    ...stores,
    ...buildSchedules(config, parts).calls,
    runtime,
    clock,
    now,
    parts,
    /** A replica; what it is made of may be replaced by something that breaks. */
    replica: (broken: Partial<ScheduleParts> = {}) =>
      buildSchedules(config, { ...parts, ...broken }).firing,
    /** The same for what it is called for. */
    calls: (broken: Partial<ScheduleParts>) =>
      buildSchedules(config, { ...parts, ...broken }).calls,
    heardBy: ({ id }: Pick<Agent, 'id'>): Promise<InboxItem[]> =>
      runtime.inbox.next({ id, shard: 0 }, 1_000),
    close: () => runtime.close(),
  };
}

/** A call that makes a cron. */
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
