import { encodePageToken, isTime, type PageCursor } from '@daycare/api';
import type { Session } from './session';

/** The end of a page of sessions: when its last session was opened, and that session's id. */
export type SessionPosition = Pick<Session, 'openedAt' | 'id'>;

export function toSessionToken({ openedAt, id }: SessionPosition): string {
  return encodePageToken(['sessions', openedAt.getTime(), id]);
}

/** Returns undefined for a cursor that does not belong to a list of sessions. */
export function readSessionPosition(cursor: PageCursor): SessionPosition | undefined {
  const [kind, time, id, ...rest] = cursor;
  const isOurs = kind === 'sessions' && isTime(time) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { openedAt: new Date(time), id } : undefined;
}
