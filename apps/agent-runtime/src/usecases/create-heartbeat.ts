import { FieldChecks } from '@daycare/errors';
import {
  checkHeartbeat,
  knownFor,
  tooMany,
  type Heartbeat,
  type HeartbeatWish,
} from '../domain/schedule';
import type { HeartbeatStore } from '../store/heartbeat-store';
import { messageIdOf } from './message-id';

export interface CreateHeartbeatCall extends HeartbeatWish {
  readonly userId: string;
  readonly requestId: string;
}

export interface CreateHeartbeatDeps {
  readonly heartbeats: HeartbeatStore;
  readonly heartbeatEveryMs: number;
  readonly shardOf: (userId: string) => number;
  readonly now: () => Date;
  /** The time that schedules go by. */
  readonly scheduleNow: () => Date;
}

/** Adds a prompt to the user's batch. Its id comes from the request, so it is added once. */
export function makeCreateHeartbeat(deps: CreateHeartbeatDeps) {
  return async (call: CreateHeartbeatCall): Promise<Heartbeat> => {
    const { userId, requestId } = call;
    const checks = new FieldChecks().requestId(requestId);
    checkHeartbeat(call, checks);
    checks.done();
    const id = messageIdOf('heartbeat', userId, requestId);
    const wish = { title: call.title.trim(), prompt: call.prompt.trim() };
    const findKnown = async () =>
      knownFor(await deps.heartbeats.find(userId, id), 'heartbeat', wish);
    const known = await findKnown();
    if (known) return known;
    const heartbeat = { id, userId, ...wish, lastRunAt: undefined, createdAt: deps.now() };
    // First, so that no heartbeat is without one; a batch that was just asked for is not removed.
    await ensureBatch(deps, userId);
    const outcome = await deps.heartbeats.insert(heartbeat);
    if (outcome === 'too-many') throw tooMany('heartbeats');
    if (outcome === 'inserted') return heartbeat;
    return (await findKnown()) ?? heartbeat;
  };
}

async function ensureBatch(
  { heartbeats, shardOf, scheduleNow, heartbeatEveryMs }: CreateHeartbeatDeps,
  userId: string,
): Promise<void> {
  const now = scheduleNow();
  const firstRun = new Date(now.getTime() + heartbeatEveryMs);
  await heartbeats.ensureBatch({ userId, shard: shardOf(userId) }, firstRun, now);
}
