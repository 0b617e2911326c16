import { AppError } from '@daycare/api';
import { TokenBuckets } from '@daycare/rpc';

/**
 * Returns a function, to be called for every new block, that limits how many users a user can block in an hour. Each
 * process counts separately. The limit exists because each block of a stranger leaves a document that is kept for a day
 * after the block is lifted.
 */
export function makeLimitBlocks(perHour: number): (userId: string) => void {
  const blocks = new TokenBuckets({ perSecond: perHour / 3_600, burst: perHour });
  return (userId) => {
    const retryAfterMs = Math.ceil(blocks.take(userId));
    if (retryAfterMs === 0) return;
    const quota = { subject: 'caller', description: `${perHour} blocks per hour` };
    const text = `You can block ${perHour} users per hour; try again later`;
    throw new AppError('QUOTA_EXCEEDED', text, { quota, retryAfterMs });
  };
}
