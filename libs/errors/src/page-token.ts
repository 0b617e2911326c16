import type { FieldChecks } from './field-checks';

/** Where a page ends: the values by which its last element is found again. */
export type PageCursor = readonly (string | number)[];

// Longer than any we make; a caller's megabytes are not even decoded.
const maxLength = 4_096;

/** A token that says nothing to the caller. Numbers must be finite. */
export function encodePageToken(cursor: PageCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/**
 * Reads a token; undefined when we cannot have made it. Whether the values fit the list is for the
 * caller to check: tokens are not signed.
 */
export function decodePageToken(token: string): PageCursor | undefined {
  if (token.length > maxLength) return undefined;
  const cursor = parseJson(Buffer.from(token, 'base64url').toString());
  return isCursor(cursor) && encodePageToken(cursor) === token ? cursor : undefined;
}

/**
 * Where a list goes on; undefined for its beginning. `read` says what a cursor of that list means, and
 * gives undefined for one that cannot be of it. Call `checks.done()` afterwards.
 */
export function readPageToken<T>(
  token: string,
  checks: FieldChecks,
  read: (cursor: PageCursor) => T | undefined,
): T | undefined {
  if (token === '') return undefined;
  const cursor = decodePageToken(token);
  const place = cursor && read(cursor);
  checks.require(place !== undefined, 'page_token', 'is not one that was given out here');
  return place;
}

/** Whether a part of a cursor can be a time in epoch milliseconds. */
export function isTime(part: string | number | undefined): part is number {
  return Number.isInteger(part) && !Number.isNaN(new Date(Number(part)).getTime());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCursor(value: unknown): value is PageCursor {
  return (
    Array.isArray(value) && value.every((part) => typeof part === 'string' || Number.isFinite(part))
  );
}
