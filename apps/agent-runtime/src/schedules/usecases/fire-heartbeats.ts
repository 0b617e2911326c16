import { messageIdOf } from '@daycare/api';
import type { Agent, FindOrCreateAgent } from '../../agents';
import { every, type ScheduleMoment } from '../domain/due-ticks';
import { maxSchedules, type Heartbeat } from '../domain/schedule';
import { batchText, chooseBatch, splitByTrust, type BatchPart } from '../domain/schedule-wording';
import type { HeartbeatBatch, HeartbeatStore } from '../store/heartbeat-store';
import { fireDue, type RecordTick } from './fire-due';
import { unlessDeleted } from './cron-agent';
import type { DeliverToAgent } from '../../messaging';

export interface FireHeartbeatsDeps {
  readonly heartbeats: HeartbeatStore;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly deliverToAgent: DeliverToAgent;
  readonly heartbeatEveryMs: number;
  /** The schedule clock. */
  readonly moment: () => ScheduleMoment;
  readonly recordTick: RecordTick;
}

/**
 * Delivers all of a user's heartbeats to its heartbeat agent. `mayContinue` is checked before each
 * batch.
 */
export function makeFireHeartbeats(deps: FireHeartbeatsDeps) {
  return (batch: HeartbeatBatch, mayContinue: () => boolean): Promise<void> => {
    const { _id: id, nextFireAt, firing } = batch;
    return fireDue(
      { id, nextFireAt, firing },
      {
        ticks: deps.heartbeats.ticks,
        moment: deps.moment,
        mayContinue,
        nextTick: every(deps.heartbeatEveryMs, nextFireAt ?? deps.moment().now),
        once: false,
        deliver: (tick) => deliver(deps, batch.userId, tick),
      },
    );
  };
}

async function deliver(deps: FireHeartbeatsDeps, userId: string, tick: Date): Promise<boolean> {
  const chosen = await choose(deps, userId, tick);
  if (chosen.length === 0) return true;
  const agent = await unlessDeleted(findAgent(deps, userId));
  if (!agent || agent.diedAt) return false;
  for (const part of splitByTrust(chosen))
    await deps.deliverToAgent({ agentId: agent.id, userId }, draftOf(userId, tick, part));
  const ids = chosen.map(({ id }) => id);
  await deps.heartbeats.markRun(userId, ids, tick);
  deps.recordTick('heartbeat', tick, deps.moment().now);
  return true;
}

/** What others wrote is delivered apart, so that it does not lower the trust of the user's own tasks. */
function draftOf(userId: string, tick: Date, { trust, carriesPrivate, heartbeats }: BatchPart) {
  const time = tick.toISOString();
  return {
    messageId: messageIdOf('heartbeat', userId, time, ...(trust ? [trust] : [])),
    senderUserId: userId,
    origin: 'heartbeat',
    text: batchText(heartbeats),
    hops: 0,
    ...(trust ? { trust } : {}),
    ...(carriesPrivate ? { carriesPrivate } : {}),
  };
}

/**
 * The contents of the batch: the same for every replica that continues it, minus those deleted
 * since.
 */
async function choose(
  { heartbeats, moment }: FireHeartbeatsDeps,
  userId: string,
  tick: Date,
): Promise<readonly Heartbeat[]> {
  const all = await heartbeats.list({ userIds: [userId], after: undefined, limit: maxSchedules });
  if (all.length === 0) {
    const { now, graceMs } = moment();
    await heartbeats.removeBatch(userId, tick, new Date(now.getTime() - graceMs));
    return [];
  }
  const ids = chooseBatch(all).map(({ id }) => id);
  const chosen = (await heartbeats.choose(userId, tick, ids)) ?? [];
  return chosen.flatMap((id) => all.find((heartbeat) => heartbeat.id === id) ?? []);
}

async function findAgent(
  { findOrCreateAgent }: FireHeartbeatsDeps,
  userId: string,
): Promise<Agent> {
  return (await findOrCreateAgent(userId, { kind: 'heartbeat', userId })).agent;
}
