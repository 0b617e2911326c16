import type { Block, Friend, FriendRequest } from '@daycare/contracts/social-graph';
import type { Session } from '../client/session';
import { safeLine } from '../output/safe-text';
import type { Named } from './pick';

/** Everyone with whom the person has a relationship. */
export interface FriendList {
  readonly friends: readonly Friend[];
  readonly requests: readonly FriendRequest[];
  readonly blocks: readonly Block[];
  readonly friendCount: number;
  readonly requestCount: number;
  readonly blockCount: number;
}

/**
 * Loads all three lists, each up to `max` entries. Every page continues all of them; a list that has ended is empty on
 * later pages.
 */
export async function loadFriends(
  { graph }: Pick<Session, 'graph'>,
  max = Infinity,
): Promise<FriendList> {
  const request = { pageSize: Math.min(1_000, max), includeNames: true };
  let page = await graph.listFriends({ ...request, pageToken: '' });
  const { friendCount, requestCount, blockCount } = page;
  const all = { friends: page.friends, requests: page.requests, blocks: page.blocks };
  const longest = (): number =>
    Math.max(all.friends.length, all.requests.length, all.blocks.length);
  while (page.nextPageToken !== '' && longest() < max) {
    page = await graph.listFriends({ ...request, pageToken: page.nextPageToken });
    all.friends.push(...page.friends);
    all.requests.push(...page.requests);
    all.blocks.push(...page.blocks);
  }
  return {
    friends: all.friends.slice(0, max),
    requests: all.requests.slice(0, max),
    blocks: all.blocks.slice(0, max),
    friendCount,
    requestCount,
    blockCount,
  };
}

/** A nametag is words followed by digits, e.g. `swiftfox42`. */
export function isNametag(text: string): boolean {
  return /^[a-z]+\d+$/.test(text);
}

/**
 * Returns what shell completion offers: the names of friends and of the subusers that they share. Users with only
 * a pending request are offered by nametag, because commands do not find them by name.
 */
export function friendNames({ friends, requests }: FriendList): Named[] {
  return [
    ...friends.map(({ nametag, nickname, name }) => ({
      id: nametag,
      names: [nickname ?? name].filter((each) => each !== undefined),
    })),
    ...friends.flatMap(({ sharesIn }) =>
      sharesIn.map(({ subuserName, subuserNametag }) => ({
        id: subuserNametag,
        names: [subuserName],
      })),
    ),
    ...requests.map(({ nametag }) => ({ id: nametag, names: [] })),
  ];
}

/** Returns what to call a friend: the nickname that the person has given, else the friend's own name, if known. */
export function friendName({ nickname, name }: Pick<Friend, 'nickname' | 'name'>): string {
  return safeLine(nickname ?? name ?? '');
}
