export type { Permissions } from './build';
export type { RequestPermission } from './usecases/request-permission';
