import { AppError } from '@daycare/errors';

/** Where a page ends: the creation time and id of its last element. */
export interface PageCursor {
  readonly createdAt: Date;
  readonly id: string;
}

export function encodePageToken({ createdAt, id }: PageCursor): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

/** Reads a token that we made; undefined for the first page. */
export function decodePageToken(token: string): PageCursor | undefined {
  if (token === '') return undefined;
  const [, time, id] =
    /^(\d{1,15}) ([a-z0-9]{2,64})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (time !== undefined && id !== undefined) return { createdAt: new Date(Number(time)), id };
  const fields = [{ field: 'page_token', description: 'was not given out by this service' }];
  throw new AppError('INVALID_ARGUMENT', 'page_token was not given out by this service', {
    fields,
  });
}
