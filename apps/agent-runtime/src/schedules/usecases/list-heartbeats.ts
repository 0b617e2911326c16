import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/api';
import type { Heartbeat } from '../domain/schedule';
import type { HeartbeatStore } from '../store/heartbeat-store';
import type { ListSchedulesCall } from './list-crons';
import { ownPositionOf, readOwnPosition } from './schedule-position';

/** Lists the caller's heartbeats, oldest first. */
export function makeListHeartbeats({ heartbeats }: { readonly heartbeats: HeartbeatStore }) {
  return async ({
    userId,
    pageSize,
    pageToken,
  }: ListSchedulesCall): Promise<{ heartbeats: readonly Heartbeat[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, (cursor) => readOwnPosition(cursor, userId));
    checks.done();
    const found = await heartbeats.list({ userIds: [userId], after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit);
    return { heartbeats: page, nextPageToken: last ? encodePageToken(ownPositionOf(last)) : '' };
  };
}
