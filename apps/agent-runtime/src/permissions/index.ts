export type { Permissions } from './build';
export type { RequestPermission } from './usecases/request-permission';
export type { AskedIn } from './domain/permission';
export type { LapseTurn } from './usecases/lapse-turn';
