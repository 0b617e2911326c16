import { describe, expect, it } from '@jest/globals';
import { Share, ShareStatus } from '@daycare/contracts/social-graph';
import { describeShares } from './describe-shares';

const shareWith = (friend: string, status: ShareStatus) => ({
  friend,
  share: Share.create({ status }),
});

describe('describeShares', () => {
  it('counts the friends who use a subuser separately from those to whom it is offered', () => {
    const ada = shareWith('ada', ShareStatus.ACTIVE);
    const bob = shareWith('bob', ShareStatus.ACTIVE);
    const eve = shareWith('eve', ShareStatus.PENDING);
    expect(describeShares([ada, bob, eve])).toBe(
      ' · shared with 2 friends · offered to one friend',
    );
    expect(describeShares([eve])).toBe(' · offered to one friend');
    expect(describeShares([])).toBe('');
  });
});
