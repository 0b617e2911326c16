import { expect, it } from '@jest/globals';
import type { FeedPermission } from '../../permissions';
import { FeedHorizon } from '../domain/feed-horizon';
import { startOfFeed } from '../domain/feed-position';
import { FeedWindow, windowLimits } from '../domain/feed-window';
import { readFeed } from './read-feed';

it('when a permission request changes, and so moves to a higher order, after it was listed but before it is read, no item beyond its listed order settles', async () => {
  const limits = { ...windowLimits, maxAhead: 2 };
  const window = new FeedWindow(startOfFeed, 0, limits);
  window.add({ order: 30n, id: '' }, 0);
  const times = { committed: 60n, clock: 60n };
  const moved = { order: 50n, id: 'p', request: {} } as FeedPermission;
  const page = await readFeed(
    {
      entries: {
        listFeedOrders: async () => ({ orders: [20n, 30n], ...times }),
        readEntries: async () => ({ entries: [], isTruncated: false }),
        newestFeedOrders: async () => [30n],
      },
      permissions: {
        listChanges: async () => ({ changes: [{ order: 5n, id: 'p' }], ...times }),
        readChanges: async () => [moved],
        newestChanges: async () => [],
      },
      clock: () => 0,
    },
    'bridge',
    { window, horizon: new FeedHorizon(), maxAhead: limits.maxAhead },
  );
  expect(page).toMatchObject({ items: [{ order: 50n }], unsentFrom: 5n, missingFrom: 20n });
  window.settle({ asOfMs: limits.graceMs, since: 60n }, page.unsentFrom);
  expect(window.has({ order: 20n, id: '' })).toBe(false);
});
