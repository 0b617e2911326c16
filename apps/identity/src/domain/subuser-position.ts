import { encodePageToken, isTime, type PageCursor } from '@daycare/api';

/** The end of a page of subusers: the creation time and id of its last subuser. */
export interface SubuserPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export function toPageToken({ createdAt, id }: SubuserPosition): string {
  return encodePageToken([createdAt.getTime(), id]);
}

/** Returns undefined for a cursor that does not belong to a list of subusers. */
export function readPosition([time, id, ...rest]: PageCursor): SubuserPosition | undefined {
  const isOurs = isTime(time) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { createdAt: new Date(time), id } : undefined;
}
