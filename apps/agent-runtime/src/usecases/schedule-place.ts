import { isTime, type PageCursor } from '@daycare/errors';
import type { ScopePlace } from '../store/owned-rows';

/** Where a page of one user's schedules ends. */
export function ownPlaceOf({ createdAt, id }: Omit<ScopePlace, 'userId'>): PageCursor {
  return [createdAt.getTime(), id];
}

export function readOwnPlace(cursor: PageCursor, userId: string): ScopePlace | undefined {
  return readPlace([userId, ...cursor]);
}

/** The same in a list of several users'. */
export function placeOf({ userId, createdAt, id }: ScopePlace): PageCursor {
  return [userId, createdAt.getTime(), id];
}

export function readPlace([userId, createdMs, id, ...rest]: PageCursor): ScopePlace | undefined {
  const isOurs =
    typeof userId === 'string' && isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { userId, createdAt: new Date(createdMs), id } : undefined;
}
