import { describe, expect, it } from '@jest/globals';
import { deletionNotices, noticeLane, renameNotices, type UserNotice } from './user-notice';

const laneOf = ({ service, userId }: UserNotice): string => noticeLane(service, userId);

describe('the lanes of notices about users', () => {
  it('notices about one user to one service share a lane, so that they arrive in order', () => {
    const deleted = deletionNotices(['ada']).filter(({ service }) => service === 'agent-runtime');
    const renamed = renameNotices('ada', 'Ada', 'r1').filter(
      ({ service }) => service === 'agent-runtime',
    );
    expect(new Set([...deleted, ...renamed].map(laneOf)).size).toBe(1);
  });

  it('notices about different users or to different services have different lanes, so that none holds up another', () => {
    const lanes = deletionNotices(['ada', 'bob']).map(laneOf);
    expect(new Set(lanes).size).toBe(lanes.length);
  });
});
