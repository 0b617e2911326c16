import { describe, expect, it } from '@jest/globals';
import {
  assertRequestIdUnused,
  findRequest,
  maxRecentRequests,
  rememberRequest,
} from './recent-requests';
import type { RecentRequest } from './recent-requests';

const many = Array.from({ length: 20 }, (_, index) => ({ id: `r${index}` }));
const remembered = many.reduce<RecentRequest[]>(
  (recent, next) => rememberRequest(recent, next),
  [],
);

describe('a list of recent requests', () => {
  it('keeps the newest requests up to the limit', () => {
    expect(remembered).toEqual(many.slice(-maxRecentRequests));
  });

  it('finds a remembered request by its id', () => {
    expect(findRequest(remembered, 'r19')).toEqual({ id: 'r19' });
    expect(findRequest(remembered, 'r0')).toBeUndefined();
  });

  it('rejects a request id that was used before', () => {
    expect(() => assertRequestIdUnused(remembered, 'r19')).toThrow('already used');
    expect(() => assertRequestIdUnused(remembered, 'new')).not.toThrow();
  });
});
