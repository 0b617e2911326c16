import { FieldChecks, messageIdOf } from '@daycare/api';
import {
  checkHeartbeat,
  provenanceOf,
  requireSameSpec,
  tooMany,
  type CreatingTurn,
  type Heartbeat,
  type HeartbeatSpec,
} from '../domain/schedule';
import type { OwnerOf } from '../../agents';
import type { HeartbeatStore } from '../store/heartbeat-store';

export interface CreateHeartbeatCall
  extends Omit<HeartbeatSpec, 'quiet'>, Partial<Pick<HeartbeatSpec, 'quiet'>>, CreatingTurn {
  readonly userId: string;
  readonly requestId: string;
}

export interface CreateHeartbeatDeps {
  readonly heartbeats: HeartbeatStore;
  readonly heartbeatEveryMs: number;
  readonly ownerOf: OwnerOf;
  readonly shardOf: (userId: string) => number;
  readonly now: () => Date;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

/**
 * Adds a prompt to the user's batch. The heartbeat's id is derived from the request, so that retries do not add another
 * heartbeat.
 */
export function makeCreateHeartbeat(deps: CreateHeartbeatDeps) {
  return async (call: CreateHeartbeatCall): Promise<Heartbeat> => {
    const { userId, requestId } = call;
    const checks = new FieldChecks().requestId(requestId);
    checkHeartbeat(call, checks);
    checks.done();
    const id = messageIdOf('heartbeat', userId, requestId);
    const { title, prompt, quiet = false } = call;
    const spec = { title: title.trim(), prompt: prompt.trim(), quiet };
    const findKnown = async () =>
      requireSameSpec(await deps.heartbeats.find(userId, id), 'heartbeat', spec);
    const known = await findKnown();
    if (known) return known;
    const times = { lastRunAt: undefined, createdAt: deps.now() };
    const heartbeat = { id, userId, ...spec, ...provenanceOf(call), ...times };
    // Before the insert, so that every heartbeat has a batch. For a grace period after this call, the batch is kept
    // even while it is empty.
    await ensureBatch(deps, userId);
    const outcome = await deps.heartbeats.insert(heartbeat, await deps.ownerOf(userId));
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
