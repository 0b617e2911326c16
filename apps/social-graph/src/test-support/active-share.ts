import type { Share, Side } from '../domain/tie/tie';

/** A share that was accepted as soon as it was offered. */
export const activeShare = (owner: Side, at: Date): Share => ({
  subuserId: `sub${owner}`,
  subuserNametag: `helper${owner === 'low' ? 1 : 2}`,
  subuserName: 'Helper',
  subuserDescription: '',
  owner,
  status: 'active',
  offeredAt: at,
  acceptedAt: at,
});
