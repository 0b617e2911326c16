import { expect, it } from '@jest/globals';
import { makeLimitBlocks } from './limit-blocks';

it('each user can block a limited number of others per hour, counted separately for each user', () => {
  const limit = makeLimitBlocks(3);
  for (let blocks = 0; blocks < 3; blocks += 1) limit('eve');
  expect(() => limit('eve')).toThrow(
    expect.objectContaining({
      code: 'QUOTA_EXCEEDED',
      details: expect.objectContaining({ retryAfterMs: expect.any(Number) }),
    }),
  );
  limit('ada');
});
