import type { PermissionFeedStore } from './store/permission-feed-store';

export type { Permissions } from './build';
export type { PermissionRequest } from './domain/permission';
export type { FeedPermission } from './store/permission-feed-store';
export type { RequestPermission } from './usecases/request-permission';

/** Reads the requests that are shown in a connector's channels. */
export type PermissionFeed = Pick<
  PermissionFeedStore,
  'listChanges' | 'newestChanges' | 'readChanges'
>;
