import { messageIdOf } from '@daycare/api';
import type { Agent, FindOrCreateAgent } from '../../../agents';
import { every, type ScheduleMoment } from '../../domain/due-ticks';
import { maxSchedules, type Heartbeat } from '../../domain/schedule';
import { batchText, chooseBatch, splitBatch, type BatchPart } from '../../domain/schedule-wording';
import type { HeartbeatBatch, HeartbeatStore } from '../../store/heartbeat-store';
import { fireDue, type RecordTick } from './fire-due';
import { unlessDeleted } from './cron-agent';
import type { DeliverToAgent, InboxReader } from '../../../messaging';

export interface FireHeartbeatsDeps {
  readonly heartbeats: HeartbeatStore;
  readonly inbox: Pick<InboxReader, 'next'>;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly deliverToAgent: DeliverToAgent;
  readonly heartbeatEveryMs: number;
  /** The schedule clock. */
  readonly moment: () => ScheduleMoment;
  readonly recordTick: RecordTick;
}

/** How many waiting messages are searched for the previous batch; a batch consists of fewer. */
const maxWaiting = 64;

/** Delivers a user's heartbeats to the user's heartbeat agent. `mayContinue` is checked before each claim of a tick. */
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
  const all = await listAll(deps, userId, tick);
  if (all.length === 0) return true;
  const agent = await unlessDeleted(findAgent(deps, userId));
  if (!agent || agent.diedAt) return false;
  const chosen = await choose(deps, agent, tick, all);
  for (const part of splitBatch(chosen)) await send(deps, agent, tick, part);
  if (chosen.length > 0) deps.recordTick('heartbeat', tick, deps.moment().now);
  return true;
}

/** Records the run before sending its prompt, so that the record exists when the run ends. */
async function send(
  { heartbeats, deliverToAgent, moment }: FireHeartbeatsDeps,
  { id: agentId, userId }: Agent,
  dueAt: Date,
  part: BatchPart,
): Promise<void> {
  const draft = draftOf(userId, dueAt, part);
  const run = { id: draft.messageId, dueAt, agentId, startedAt: moment().now };
  const ids = part.heartbeats.map(({ id }) => id);
  await heartbeats.beginRun(userId, ids, { ...run, outcome: 'running' });
  await deliverToAgent({ agentId, userId }, draft);
}

/** Others' prompts are delivered separately, so that they do not lower the trust of the user's own. */
function draftOf(userId: string, tick: Date, part: BatchPart) {
  const { trust, carriesPrivate, quiet } = part;
  const kind = [...(trust ? [trust] : []), ...(quiet ? ['quiet'] : [])];
  return {
    messageId: messageIdOf('heartbeat', userId, tick.toISOString(), ...kind),
    senderUserId: userId,
    origin: 'heartbeat',
    text: batchText(part),
    hops: 0,
    ...(trust ? { trust } : {}),
    ...(carriesPrivate ? { carriesPrivate } : {}),
  };
}

/**
 * Lists the user's heartbeats. If there are none, removes the batch, unless the creation of one began within the grace
 * period.
 */
async function listAll(
  { heartbeats, moment }: FireHeartbeatsDeps,
  userId: string,
  tick: Date,
): Promise<readonly Heartbeat[]> {
  const all = await heartbeats.list({ userIds: [userId], after: undefined, limit: maxSchedules });
  if (all.length === 0) {
    const { now, graceMs } = moment();
    await heartbeats.removeBatch(userId, tick, new Date(now.getTime() - graceMs));
  }
  return all;
}

/**
 * Returns the batch's heartbeats: the same for every replica that continues the batch, minus those deleted after they
 * were chosen. Empty if a message of an earlier batch was still waiting when they were chosen, or if the tick is no
 * longer in progress.
 */
async function choose(
  { heartbeats, inbox }: FireHeartbeatsDeps,
  agent: Agent,
  tick: Date,
  all: readonly Heartbeat[],
): Promise<readonly Heartbeat[]> {
  const waiting = await inbox.next(agent, maxWaiting);
  const isBusy = waiting.some(
    (item) => item.kind === 'system_message' && item.origin === 'heartbeat',
  );
  const ids = isBusy ? [] : chooseBatch(all).map(({ id }) => id);
  // An earlier choice for this tick stands, because the waiting messages may be the ones that were sent for it.
  const chosen = (await heartbeats.choose(agent.userId, tick, ids)) ?? [];
  return chosen.flatMap((id) => all.find((heartbeat) => heartbeat.id === id) ?? []);
}

async function findAgent(
  { findOrCreateAgent }: FireHeartbeatsDeps,
  userId: string,
): Promise<Agent> {
  return (await findOrCreateAgent(userId, { kind: 'heartbeat', userId })).agent;
}
