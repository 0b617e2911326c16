import type { Block, Friend, FriendRequest } from '@daycare/contracts/social-graph';
import { daycare } from './client';

/** All friends, pending requests and blocks. */
export interface FriendLists {
  readonly friends: readonly Friend[];
  readonly requests: readonly FriendRequest[];
  readonly blocks: readonly Block[];
}

const pageSize = 1_000;

export async function readFriends(signal: AbortSignal): Promise<FriendLists> {
  const lists: { friends: Friend[]; requests: FriendRequest[]; blocks: Block[] } = {
    friends: [],
    requests: [],
    blocks: [],
  };
  let pageToken = '';
  do {
    const page = await daycare.rpc.socialGraph.listFriends({ pageSize, pageToken }, { signal });
    lists.friends.push(...page.friends);
    lists.requests.push(...page.requests);
    lists.blocks.push(...page.blocks);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return lists;
}
