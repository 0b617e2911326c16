import { encodePageToken, isTime, type PageCursor } from './page-token';

/** The end of a page in a list that is sorted by creation time: the time and id of the page's last entry. */
export interface TimePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Returns the token of the page after `last`; empty if there is no such page. */
export function pageTokenAfter(last: TimePosition | undefined): string {
  return last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
}

/** Reads a cursor made by `pageTokenAfter`; returns undefined for any other. */
export function readTimePosition([createdMs, id, ...rest]: PageCursor): TimePosition | undefined {
  const isOurs = isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { createdAt: new Date(createdMs), id } : undefined;
}
