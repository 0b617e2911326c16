import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/api';
import type { AgentReader } from '../../agents';
import type { CronStore } from '../store/cron-store';
import { describeCrons, type CronView } from './describe-runs';
import { ownPositionOf, readOwnPosition } from './schedule-position';

export interface ListSchedulesCall {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Lists the caller's crons, oldest first. */
export function makeListCrons({
  crons,
  agents,
}: {
  readonly crons: CronStore;
  readonly agents: Pick<AgentReader, 'findMany'>;
}) {
  return async ({
    userId,
    pageSize,
    pageToken,
  }: ListSchedulesCall): Promise<{ crons: readonly CronView[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, (cursor) => readOwnPosition(cursor, userId));
    checks.done();
    const found = await crons.list({ userIds: [userId], after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit);
    const described = await describeCrons(agents, page);
    return { crons: described, nextPageToken: last ? encodePageToken(ownPositionOf(last)) : '' };
  };
}
