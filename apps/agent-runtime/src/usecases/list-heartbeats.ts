import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/errors';
import type { Heartbeat } from '../domain/schedule';
import type { HeartbeatStore } from '../store/heartbeat-store';
import type { ListSchedulesCall } from './list-crons';
import { ownPlaceOf, readOwnPlace } from './schedule-place';

/** The caller's heartbeats, oldest first. */
export function makeListHeartbeats({ heartbeats }: { readonly heartbeats: HeartbeatStore }) {
  return async ({
    userId,
    pageSize,
    pageToken,
  }: ListSchedulesCall): Promise<{ heartbeats: readonly Heartbeat[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, (cursor) => readOwnPlace(cursor, userId));
    checks.done();
    const found = await heartbeats.list({ userIds: [userId], after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit);
    return { heartbeats: page, nextPageToken: last ? encodePageToken(ownPlaceOf(last)) : '' };
  };
}
