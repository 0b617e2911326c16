import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/api';
import type { AgentReader } from '../../agents';
import type { HeartbeatStore } from '../store/heartbeat-store';
import { describeHeartbeats, type HeartbeatView } from './describe-runs';
import type { ListSchedulesCall } from './list-crons';
import { ownPositionOf, readOwnPosition } from './schedule-position';

/** Lists the caller's heartbeats, oldest first. */
export function makeListHeartbeats({
  heartbeats,
  agents,
}: {
  readonly heartbeats: HeartbeatStore;
  readonly agents: Pick<AgentReader, 'findMany'>;
}) {
  return async ({
    userId,
    pageSize,
    pageToken,
  }: ListSchedulesCall): Promise<{
    heartbeats: readonly HeartbeatView[];
    nextPageToken: string;
  }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, (cursor) => readOwnPosition(cursor, userId));
    checks.done();
    const found = await heartbeats.list({ userIds: [userId], after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit);
    const described = await describeHeartbeats(agents, page);
    return {
      heartbeats: described,
      nextPageToken: last ? encodePageToken(ownPositionOf(last)) : '',
    };
  };
}
