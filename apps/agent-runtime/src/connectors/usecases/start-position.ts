import { invalidField } from '@daycare/api';
import {
  decodePosition,
  startOfFeed,
  type FeedKey,
  type FeedPosition,
} from '../domain/feed-position';
import { endPosition, type WindowLimits } from '../domain/feed-window';
import type { ReadFeedDeps } from './read-feed';

export interface StartCall {
  readonly client: string;
  readonly position: string;
  readonly skipStored: boolean;
}

/**
 * Returns the position at which a stream begins: the caller's position if there is one, else the start of the feed or,
 * if the caller skips stored records, the position after everything that is stored.
 */
export async function startPosition(
  { entries, permissions }: Pick<ReadFeedDeps, 'entries' | 'permissions'>,
  { client, position, skipStored }: StartCall,
  limits: WindowLimits,
): Promise<FeedPosition> {
  const decoded = decodePosition(position);
  if (!decoded) throw invalidField('position', 'is not a position that this stream has sent');
  if (position !== '' || !skipStored) return decoded;
  const [orders, changes] = await Promise.all([
    entries.newestFeedOrders(client, limits.maxAhead),
    permissions.newestChanges(client, limits.maxAhead),
  ]);
  const keys: FeedKey[] = [...orders.map((order) => ({ order, id: '' })), ...changes];
  return endPosition(keys, limits) ?? startOfFeed;
}
