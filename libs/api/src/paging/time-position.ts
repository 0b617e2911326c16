import type { FieldChecks } from '../field-checks';
import { encodePageToken, isTime, readPageToken, type PageCursor } from './page-token';

/** The end of a page in a list that is sorted by creation time: the time and id of the page's last entry. */
export interface TimePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/**
 * Returns the token of the page after `last`. Pass undefined if there is no further page; the token is then empty.
 */
export function pageTokenAfter(last: TimePosition | undefined): string {
  return last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
}

/** The page that a caller requests of a list sorted by creation time. */
export interface TimePage {
  /** How many entries the page may have. */
  readonly limit: number;
  /** The end of the previous page; undefined for the first page. */
  readonly after: TimePosition | undefined;
}

/** Reads a request's page size and a page token made by `pageTokenAfter`. Call `checks.done()` afterwards. */
export function readTimePage(
  { pageSize, pageToken }: { readonly pageSize: number; readonly pageToken: string },
  checks: FieldChecks,
): TimePage {
  const limit = checks.pageSize(pageSize);
  return { limit, after: readPageToken(pageToken, checks, readTimePosition) };
}

function readTimePosition([createdMs, id, ...rest]: PageCursor): TimePosition | undefined {
  const isOurs = isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { createdAt: new Date(createdMs), id } : undefined;
}
