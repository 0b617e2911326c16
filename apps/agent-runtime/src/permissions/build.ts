import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { UserDataStore } from '@daycare/service-kit';
import type { Agent, AgentReader, HistoryReader, RankForeground } from '../agents';
import type { DeliverToAgent, InboxReader, PlaceItems } from '../messaging';
import { readersOf, type PermissionRequest } from './domain/permission';
import { grantIndexes, GrantStore } from './store/grant-store';
import { PermissionChangeStore } from './store/permission-change-store';
import { PermissionFeedStore } from './store/permission-feed-store';
import { permissionIndexes, PermissionStore } from './store/permission-store';
import { makeConfirmApproval } from './usecases/confirm-approval';
import { makeDecidePermission } from './usecases/decide-permission';
import { makeExpirePermissions } from './usecases/expire-permissions';
import { makeFindPermissions } from './usecases/find-permissions';
import { makeFinishPermissions, makeFollowUpPermission } from './usecases/follow-up-permission';
import { makeExpireTurnRequests } from './usecases/expire-turn-requests';
import { makeListGrants } from './usecases/grants/list-grants';
import { makeListPermissionRequests } from './usecases/list-permission-requests';
import { makeRequestApproval } from './usecases/request-approval';
import { makeRequestPermission } from './usecases/request-permission';
import { makeRevokeGrant } from './usecases/grants/revoke-grant';
import {
  makeWatchPermissionRequests,
  type WatchPermissionsDeps,
} from './usecases/watch-permission-requests';

export const permissionsIndexes: readonly CollectionIndexes[] = [permissionIndexes, grantIndexes];

export interface PermissionsDeps {
  readonly db: Db;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly history: HistoryReader;
  readonly inbox: InboxReader;
  readonly rankForeground: RankForeground;
  readonly placeItems: PlaceItems;
  readonly deliverToAgent: DeliverToAgent;
  /** Sends a hint to the user's watchers, on any replica: a request that they may see was created or has changed. */
  readonly notifyWatchers: (userId: string) => void;
  /** Subscribes to those hints. */
  readonly listen: WatchPermissionsDeps['listen'];
  readonly isConnected: WatchPermissionsDeps['isConnected'];
  /** Sends a hint to a connector's watchers: a request shown in one of its channels was created or has changed. */
  readonly notifyFeed: (feed: string) => void;
  readonly permissionTtlMs: number;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly now: () => Date;
}

export type Permissions = ReturnType<typeof buildPermissions>;

const watchPollMs = 2_000;

/** Builds the feature in which agents request permissions and people grant them. */
export function buildPermissions(deps: PermissionsDeps) {
  const { agents, history, inbox, rankForeground, now } = deps;
  const permissions = new PermissionStore(deps.db);
  const grants = new GrantStore(deps.db);
  const userDataStores: readonly UserDataStore[] = [permissions, grants];
  const hintReaders = (request: PermissionRequest): void => {
    readersOf(request).forEach(deps.notifyWatchers);
    if (request.feed !== undefined) deps.notifyFeed(request.feed);
  };
  const followUp = makeFollowUpPermission({
    permissions,
    grants,
    agents,
    history,
    inbox,
    placeItems: deps.placeItems,
    deliverToAgent: deps.deliverToAgent,
  });
  const findPermissions = makeFindPermissions({ grants, now });
  const submitDeps = {
    permissions,
    grants,
    history,
    rankForeground,
    followUp,
    hintReaders,
    permissionTtlMs: deps.permissionTtlMs,
    now,
  };
  return {
    userDataStores,
    feeds: new PermissionFeedStore(deps.db),
    requestPermission: makeRequestPermission(submitDeps),
    requestApproval: makeRequestApproval(submitDeps),
    confirmApproval: makeConfirmApproval({ permissions, grants, now }),
    /** Reports whether the agent is waiting for a decision. */
    hasPending: ({ id }: Pick<Agent, 'id'>) => permissions.hasPending(id, now()),
    expireTurnRequests: makeExpireTurnRequests({ permissions, hintReaders, now }),
    hasPermission: findPermissions.hasPermission,
    permissionsOf: findPermissions.permissionsOf,
    listGrants: makeListGrants({ grants, now }),
    revokeGrant: makeRevokeGrant({ grants, now }),
    decidePermission: makeDecidePermission({
      permissions,
      agents,
      history,
      inbox,
      rankForeground,
      followUp,
      hintReaders,
      now,
    }),
    listPermissionRequests: makeListPermissionRequests({ permissions, now }),
    watchPermissionRequests: makeWatchPermissionRequests({
      permissions,
      changes: new PermissionChangeStore(deps.db),
      listen: deps.listen,
      isConnected: deps.isConnected,
      pollMs: watchPollMs,
      stopping: deps.stopping,
      now,
    }),
    expirePermissions: makeExpirePermissions({ permissions, hintReaders, now }),
    finishPermissions: makeFinishPermissions({ permissions, followUp, now }),
  };
}
