import { createId } from '@daycare/api/create-id';
import { connectNats, OutboxStore } from '@daycare/messaging';
import { ensureIndexes } from '@daycare/mongo';
import { testNatsUrl, uniqueName } from '@daycare/testing';
import type { Agent } from '../agents/domain/agent';
import { nextEntry } from '../agents/domain/history-entry';
import type { InboxItem } from '../messaging/domain/inbox-item';
import { readersOf, type PermissionRequest } from '../permissions/domain/permission';
import { LiveFeed } from '../messaging/events/live-feed';
import { grantIndexes, GrantStore } from '../permissions/store/grant-store';
import { PermissionChangeStore } from '../permissions/store/permission-change-store';
import { permissionIndexes, PermissionStore } from '../permissions/store/permission-store';
import { makeConfirmApproval } from '../permissions/usecases/confirm-approval';
import { makeDecidePermission } from '../permissions/usecases/decide-permission';
import { makeExpirePermissions } from '../permissions/usecases/expire-permissions';
import {
  makeFinishPermissions,
  makeFollowUpPermission,
} from '../permissions/usecases/follow-up-permission';
import { makeFindPermissions } from '../permissions/usecases/find-permissions';
import { makeExpireTurnRequests } from '../permissions/usecases/expire-turn-requests';
import { makeListGrants } from '../permissions/usecases/grants/list-grants';
import { makeListPermissionRequests } from '../permissions/usecases/list-permission-requests';
import { makeRankForeground } from '../agents/usecases/rank-foreground';
import { makeRequestApproval } from '../permissions/usecases/request-approval';
import { makeRequestPermission } from '../permissions/usecases/request-permission';
import { makeRevokeGrant } from '../permissions/usecases/grants/revoke-grant';
import { makeDeliverToAgent } from '../messaging/usecases/delivery/deliver-to-agent';
import { makeWatchPermissionRequests } from '../permissions/usecases/watch-permission-requests';
import type { TestRuntime } from './test-runtime';

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export const permissionTtlMs = 15 * 60_000;

export type TestPermissions = Awaited<ReturnType<typeof startTestPermissions>>;

/** The permission usecases on the stores of a test runtime, with a clock that can be advanced. */
export async function startTestPermissions(runtime: TestRuntime) {
  const { db } = runtime.mongo;
  await ensureIndexes(db, [permissionIndexes, grantIndexes]);
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: silent });
  const feed = new LiveFeed(nats.connection, uniqueName('test'));
  const clock = { aheadMs: 0 };
  const now = (): Date => new Date(Date.now() + clock.aheadMs);
  const permissions = new PermissionStore(db);
  const grants = new GrantStore(db);
  const outbox = new OutboxStore(db, 'agent-runtime');
  const common = {
    ...runtime,
    permissions,
    grants,
    outbox,
    now,
    sleepAfterMs: 60_000,
    permissionTtlMs,
  };
  const deliverToAgent = makeDeliverToAgent(common);
  const rankForeground = makeRankForeground(common);
  const followUp = makeFollowUpPermission({ ...common, deliverToAgent });
  const hintReaders = (request: PermissionRequest): void =>
    readersOf(request).forEach((userId) => feed.publishPermissionChange(userId));
  const deps = { ...common, rankForeground, followUp, hintReaders };
  const stopping = new AbortController();
  const listen = (userId: string, listener: () => void): (() => void) =>
    feed.watchPermissions(userId, listener);
  const isConnected = (): boolean => false;
  const changes = new PermissionChangeStore(db);
  const watchDeps = { ...deps, changes, isConnected, stopping: stopping.signal };
  return {
    ...watchDeps,
    clock,
    request: makeRequestPermission(deps),
    requestApproval: makeRequestApproval(deps),
    confirmApproval: makeConfirmApproval(deps),
    expireTurnRequests: makeExpireTurnRequests(deps),
    listGrants: makeListGrants(deps),
    revokeGrant: makeRevokeGrant(deps),
    ...makeFindPermissions(deps),
    decide: makeDecidePermission(deps),
    list: makeListPermissionRequests(deps),
    expire: makeExpirePermissions(deps),
    finish: makeFinishPermissions(deps),
    watch: makeWatchPermissionRequests({ ...watchDeps, listen, pollMs: 60_000 }),
    watchWithoutHints: makeWatchPermissionRequests({
      ...watchDeps,
      listen: () => nothing,
      pollMs: 20,
    }),
    stopping,
    close: () => nats.close(),
  };
}

/** Resets an agent as the replica that runs it would. */
export async function resetNow({ history }: TestRuntime, { id }: Agent): Promise<void> {
  const head = (await history.findHead(id))!;
  const reset = { kind: 'reset', message: '', emergency: false } as const;
  const step = { events: [reset], current: undefined };
  await history.append(nextEntry(head, step, { holder: 'test', fence: 1 }, new Date()));
}

/** A reset that the agent has not processed yet. */
export function resetItem({ id: agentId, userId }: Agent): InboxItem {
  const common = { agentId, userId, messageId: createId(), acceptedAt: new Date() };
  return { kind: 'reset', ...common, message: '' };
}
