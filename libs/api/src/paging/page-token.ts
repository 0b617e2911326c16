import type { FieldChecks } from '../field-checks';

/** The end of a page: the values that identify its last element. */
export type PageCursor = readonly (string | number)[];

/** Longer than any token we issue; longer input is refused without decoding it. */
const maxLength = 4_096;

/** Encodes a JSON value as an opaque token. Numbers must be finite. */
export function encodeJsonToken(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes a token, without decoding longer input; returns undefined if `encodeJsonToken` cannot have made it. */
export function decodeJsonToken(token: string, maxLength: number): unknown {
  if (token.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return encodeJsonToken(value) === token ? value : undefined;
  } catch {
    // It is not JSON, or is nested too deeply to be encoded.
    return undefined;
  }
}

/** Encodes a cursor as an opaque token. Numbers must be finite. */
export function encodePageToken(cursor: PageCursor): string {
  return encodeJsonToken(cursor);
}

/**
 * Decodes a token; returns undefined if it cannot be one of ours. Tokens are not signed, so the caller must check that
 * the values fit its list.
 */
export function decodePageToken(token: string): PageCursor | undefined {
  const cursor = decodeJsonToken(token, maxLength);
  return isCursor(cursor) ? cursor : undefined;
}

/**
 * Returns the position from which a list continues; undefined for its beginning, and for an invalid token, which is
 * recorded in `checks`. `read` must interpret a cursor of that list and return undefined for any other. Call
 * `checks.done()` afterwards.
 */
export function readPageToken<T>(
  token: string,
  checks: FieldChecks,
  read: (cursor: PageCursor) => T | undefined,
): T | undefined {
  if (token === '') return undefined;
  const cursor = decodePageToken(token);
  const position = cursor && read(cursor);
  checks.require(position !== undefined, 'page_token', 'is invalid');
  return position;
}

/** Reports whether a part of a cursor can be a time in epoch milliseconds. */
export function isTime(part: string | number | undefined): part is number {
  return Number.isInteger(part) && !Number.isNaN(new Date(Number(part)).getTime());
}

function isCursor(value: unknown): value is PageCursor {
  return (
    Array.isArray(value) && value.every((part) => typeof part === 'string' || Number.isFinite(part))
  );
}
