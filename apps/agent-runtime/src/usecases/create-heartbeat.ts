import { FieldChecks, notFound } from '@daycare/errors';
import {
  checkHeartbeat,
  requireSameWish,
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
    const known = await findKnown(deps, userId, id, wish);
    if (known) return known;
    const heartbeat = { id, userId, ...wish, lastRunAt: undefined, createdAt: deps.now() };
    // First, so that no heartbeat is without one; a batch of nothing tells nobody anything.
    await deps.heartbeats.ensureBatch(userId, deps.shardOf(userId), firstRun(deps));
    const outcome = await deps.heartbeats.insert(heartbeat);
    if (outcome === 'too-many') throw tooMany('heartbeats');
    if (outcome === 'inserted') return heartbeat;
    return (await findKnown(deps, userId, id, wish)) ?? heartbeat;
  };
}

function firstRun({ scheduleNow, heartbeatEveryMs }: CreateHeartbeatDeps): Date {
  return new Date(scheduleNow().getTime() + heartbeatEveryMs);
}

/** What the same request has made before; one that is gone by now stays so. */
async function findKnown(
  { heartbeats }: CreateHeartbeatDeps,
  userId: string,
  id: string,
  wish: HeartbeatWish,
): Promise<Heartbeat | undefined> {
  const known = await heartbeats.find(userId, id);
  if (known === 'deleted') throw notFound('heartbeat');
  if (known) requireSameWish<HeartbeatWish>(known, wish);
  return known;
}
