import type { Agent } from '../domain/agent';
import { every, type ScheduleMoment } from '../domain/due-ticks';
import { mostSchedules, type Heartbeat } from '../domain/schedule';
import { batchText, chooseBatch } from '../domain/schedule-wording';
import type { HeartbeatBatch, HeartbeatStore } from '../store/heartbeat-store';
import type { FindOrMakeAgent } from './ensure-agent';
import { fireDue, type ShowTick } from './fire-due';
import { messageIdOf } from './message-id';
import { unlessGone } from './own-agent';
import type { TellAgent } from './tell-agent';

export interface FireHeartbeatsDeps {
  readonly heartbeats: HeartbeatStore;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly tellAgent: TellAgent;
  readonly heartbeatEveryMs: number;
  /** The time that schedules go by. */
  readonly moment: () => ScheduleMoment;
  readonly showTick: ShowTick;
}

/** Has a user's heartbeat agent hear all of its heartbeats. `mayGoOn` is asked before each batch. */
export function makeFireHeartbeats(deps: FireHeartbeatsDeps) {
  return (batch: HeartbeatBatch, mayGoOn: () => boolean): Promise<void> => {
    const { _id: id, nextFireAt, firing } = batch;
    return fireDue(
      { id, nextFireAt, firing },
      {
        ticks: deps.heartbeats.ticks,
        moment: deps.moment,
        mayGoOn,
        nextTick: every(deps.heartbeatEveryMs, nextFireAt ?? deps.moment().now),
        once: false,
        tell: (tick) => tell(deps, batch.userId, tick),
      },
    );
  };
}

async function tell(deps: FireHeartbeatsDeps, userId: string, tick: Date): Promise<boolean> {
  const chosen = await choose(deps, userId, tick);
  if (chosen.length === 0) return true;
  const agent = await unlessGone(findAgent(deps, userId));
  if (!agent || agent.diedAt) return false;
  await deps.tellAgent(
    { agentId: agent.id, userId },
    {
      messageId: messageIdOf('heartbeat', userId, tick.toISOString()),
      senderUserId: userId,
      origin: 'heartbeat',
      text: batchText(chosen),
      hops: 0,
    },
  );
  const ids = chosen.map(({ id }) => id);
  await deps.heartbeats.markRun(userId, ids, tick);
  deps.showTick('heartbeat', tick, deps.moment().now);
  return true;
}

/** What the batch is about: the same whoever goes on with it, less what was deleted since. */
async function choose(
  { heartbeats, moment }: FireHeartbeatsDeps,
  userId: string,
  tick: Date,
): Promise<readonly Heartbeat[]> {
  const all = await heartbeats.list({ userIds: [userId], after: undefined, limit: mostSchedules });
  if (all.length === 0) {
    const { now, graceMs } = moment();
    await heartbeats.removeBatch(userId, tick, new Date(now.getTime() - graceMs));
    return [];
  }
  const ids = chooseBatch(all).map(({ id }) => id);
  const chosen = (await heartbeats.choose(userId, tick, ids)) ?? [];
  return chosen.flatMap((id) => all.find((heartbeat) => heartbeat.id === id) ?? []);
}

async function findAgent({ findOrMakeAgent }: FireHeartbeatsDeps, userId: string): Promise<Agent> {
  return (await findOrMakeAgent(userId, { kind: 'heartbeat', userId })).agent;
}
