import { isTime, type PageCursor } from '@daycare/api';
import type { ScopePosition } from '../store/owned-rows';

/** Returns the position at which a page of one user's schedules ends. */
export function ownPositionOf({ createdAt, id }: Omit<ScopePosition, 'userId'>): PageCursor {
  return [createdAt.getTime(), id];
}

export function readOwnPosition(cursor: PageCursor, userId: string): ScopePosition | undefined {
  return readPosition([userId, ...cursor]);
}

/** Returns the position at which a page of several users' schedules ends. */
export function positionOf({ userId, createdAt, id }: ScopePosition): PageCursor {
  return [userId, createdAt.getTime(), id];
}

export function readPosition([userId, createdMs, id, ...rest]: PageCursor):
  | ScopePosition
  | undefined {
  const isPosition =
    typeof userId === 'string' && isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isPosition ? { userId, createdAt: new Date(createdMs), id } : undefined;
}
