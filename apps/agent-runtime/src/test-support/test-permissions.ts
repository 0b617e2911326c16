import { createId } from '@paralleldrive/cuid2';
import { connectNats, OutboxStore } from '@daycare/messaging';
import { ensureIndexes } from '@daycare/mongo';
import { testNatsUrl, uniqueName } from '@daycare/testing';
import type { Agent } from '../domain/agent';
import { nextEntry } from '../domain/agent-state';
import type { InboxItem } from '../domain/inbox-item';
import { readersOf, type PermissionRequest } from '../domain/permission';
import { LiveFeed } from '../runtime/live-feed';
import { permissionIndexes, PermissionStore } from '../store/permission-store';
import { makeDecidePermission } from '../usecases/decide-permission';
import { makeExpirePermissions } from '../usecases/expire-permissions';
import { makeFinishPermissions, makeFollowUpPermission } from '../usecases/follow-up-permission';
import { makeListPermissionRequests } from '../usecases/list-permission-requests';
import { makeRankForeground } from '../usecases/rank-foreground';
import { makeRequestPermission } from '../usecases/request-permission';
import { makeTellAgent } from '../usecases/tell-agent';
import { makeWatchPermissionRequests } from '../usecases/watch-permission-requests';
import type { TestRuntime } from './test-runtime';

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const permissionTtlMs = 15 * 60_000;

export type TestPermissions = Awaited<ReturnType<typeof startTestPermissions>>;

/** Everything about permissions on the stores of a test runtime, with a clock that can be moved. */
export async function startTestPermissions(runtime: TestRuntime) {
  const { db } = runtime.mongo;
  await ensureIndexes(db, [permissionIndexes]);
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: silent });
  const feed = new LiveFeed(nats.connection, uniqueName('test'));
  const clock = { aheadMs: 0 };
  const now = (): Date => new Date(Date.now() + clock.aheadMs);
  const permissions = new PermissionStore(db);
  const outbox = new OutboxStore(db, 'agent-runtime');
  const common = { ...runtime, permissions, outbox, now, sleepAfterMs: 60_000, permissionTtlMs };
  const tellAgent = makeTellAgent({ ...common, wakeOutbox: nothing });
  const rankForeground = makeRankForeground(common);
  const followUp = makeFollowUpPermission({ ...common, tellAgent });
  const hintReaders = (request: PermissionRequest): void =>
    readersOf(request).forEach((userId) => feed.tellUser(userId));
  const parts = { ...common, rankForeground, followUp, hintReaders };
  const stopping = new AbortController();
  const listen = (userId: string, listener: () => void): (() => void) =>
    feed.watchUser(userId, listener);
  const watching = { ...parts, stopping: stopping.signal };
  return {
    ...parts,
    clock,
    request: makeRequestPermission(parts),
    decide: makeDecidePermission(parts),
    list: makeListPermissionRequests(parts),
    expire: makeExpirePermissions(parts),
    finish: makeFinishPermissions(parts),
    watch: makeWatchPermissionRequests({ ...watching, listen, pollMs: 60_000 }),
    watchWithoutHints: makeWatchPermissionRequests({
      ...watching,
      listen: () => nothing,
      pollMs: 20,
    }),
    stopping,
    close: () => nats.close(),
  };
}

/** Resets an agent as its runtime would. */
export async function resetNow({ history }: TestRuntime, { id }: Agent): Promise<void> {
  const head = (await history.findHead(id))!;
  const reset = { kind: 'reset', message: '', emergency: false } as const;
  const step = { events: [reset], current: undefined };
  await history.append(nextEntry(head, step, { holder: 'test', fence: 1 }, new Date()));
}

/** A reset that the agent has not come to yet. */
export function resetItem({ id: agentId, userId }: Agent): InboxItem {
  const common = { agentId, userId, messageId: createId(), acceptedAt: new Date() };
  return { kind: 'reset', ...common, message: '' };
}
