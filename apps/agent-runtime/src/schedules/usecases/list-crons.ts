import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/api';
import type { Cron } from '../domain/schedule';
import type { CronStore } from '../store/cron-store';
import { ownPositionOf, readOwnPosition } from './schedule-position';

export interface ListSchedulesCall {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Lists the caller's crons, oldest first. */
export function makeListCrons({ crons }: { readonly crons: CronStore }) {
  return async ({
    userId,
    pageSize,
    pageToken,
  }: ListSchedulesCall): Promise<{ crons: readonly Cron[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, (cursor) => readOwnPosition(cursor, userId));
    checks.done();
    const found = await crons.list({ userIds: [userId], after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit);
    return { crons: page, nextPageToken: last ? encodePageToken(ownPositionOf(last)) : '' };
  };
}
