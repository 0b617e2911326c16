import { AppError } from '@daycare/errors';
import { every, type ScheduleMoment } from '../domain/due-ticks';
import { mostSchedules } from '../domain/schedule';
import { batchText, chooseBatch } from '../domain/schedule-wording';
import type { HeartbeatBatch, HeartbeatStore } from '../store/heartbeat-store';
import type { FindOrMakeAgent } from './ensure-agent';
import { fireDue } from './fire-due';
import { messageIdOf } from './message-id';
import type { TellAgent } from './tell-agent';

export interface FireHeartbeatsDeps {
  readonly heartbeats: HeartbeatStore;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly tellAgent: TellAgent;
  readonly heartbeatEveryMs: number;
  /** The time that schedules go by. */
  readonly moment: () => ScheduleMoment;
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
        tell: (tick) => tell(deps, batch.userId, tick),
      },
    );
  };
}

async function tell(deps: FireHeartbeatsDeps, userId: string, tick: Date): Promise<boolean> {
  const all = { userIds: [userId], after: undefined, limit: mostSchedules };
  const chosen = chooseBatch(await deps.heartbeats.list(all));
  if (chosen.length === 0) return true;
  const agentId = await findAgent(deps, userId);
  if (agentId === undefined) return false;
  await deps.tellAgent(
    { agentId, userId },
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
  return true;
}

/** Undefined when the user is gone. */
async function findAgent(
  { findOrMakeAgent }: FireHeartbeatsDeps,
  userId: string,
): Promise<string | undefined> {
  try {
    const { agent } = await findOrMakeAgent(userId, { kind: 'heartbeat', userId });
    return agent.diedAt ? undefined : agent.id;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
