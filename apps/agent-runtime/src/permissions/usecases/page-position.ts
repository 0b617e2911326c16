import { encodePageToken, isTime, type PageCursor } from '@daycare/api';

/** The end of a page in a list sorted by time: the last entry's time and id. */
export interface PagePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Empty when there is no next page. */
export function pageTokenAfter(last: PagePosition | undefined): string {
  return last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
}

export function readPosition([createdMs, id, ...rest]: PageCursor): PagePosition | undefined {
  const isValid = isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isValid ? { createdAt: new Date(createdMs), id } : undefined;
}
