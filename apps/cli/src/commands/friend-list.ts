import type {
  Block,
  Friend,
  FriendRequest,
  GetMessageStatusResponse,
  Share,
} from '@daycare/contracts/social-graph';
import type { Session } from '../client/session';
import { recordView } from '../output/record';
import { safeLine } from '../output/safe-text';
import type { View } from '../output/view';
import { toTime, toWord } from '../output/words';
import { defineCommand } from './command';
import { limitOption, type Limited } from './options';

interface FriendList {
  readonly friends: readonly Friend[];
  readonly requests: readonly FriendRequest[];
  readonly blocks: readonly Block[];
  readonly friendCount: number;
  readonly requestCount: number;
  readonly blockCount: number;
}

export const listCommand = defineCommand<Limited>({
  name: 'list',
  description: 'friends with what you share, requests that wait, and whom you block',
  options: [limitOption],
  examples: ['friend list', 'friend list -o json --limit 20'],
  async run({ session, options }) {
    const list = await loadAll(await session(), options.limit ?? Infinity);
    return { data: list, render: () => renderList(list) };
  },
});

/** Each of the lists has pages of its own; one that has come to its end stays empty. */
async function loadAll({ graph }: Session, most: number): Promise<FriendList> {
  const pageSize = Math.min(1_000, most);
  let page = await graph.listFriends({ pageSize, pageToken: '' });
  const { friendCount, requestCount, blockCount } = page;
  const all = { friends: page.friends, requests: page.requests, blocks: page.blocks };
  const longest = (): number =>
    Math.max(all.friends.length, all.requests.length, all.blocks.length);
  while (page.nextPageToken !== '' && longest() < most) {
    page = await graph.listFriends({ pageSize, pageToken: page.nextPageToken });
    all.friends.push(...page.friends);
    all.requests.push(...page.requests);
    all.blocks.push(...page.blocks);
  }
  const { friends, requests, blocks } = all;
  return {
    friends: friends.slice(0, most),
    requests: requests.slice(0, most),
    blocks: blocks.slice(0, most),
    ...{ friendCount, requestCount, blockCount },
  };
}

function renderList({ friends, requests, blocks, ...counts }: FriendList): string {
  return [
    `Friends (${counts.friendCount})`,
    ...friends.flatMap(friendLines),
    `Requests (${counts.requestCount})`,
    ...requests.map(
      ({ nametag, state, since }) =>
        `  ${nametag} ${toWord('TIE_STATE', state)} since ${toTime(since)}`,
    ),
    `Blocked (${counts.blockCount})`,
    ...blocks.map(({ nametag, since }) => `  ${nametag} since ${toTime(since)}`),
  ].join('\n');
}

function friendLines({ nametag, sharesOut, sharesIn }: Friend): string[] {
  return [
    `  ${nametag}`,
    ...sharesOut.map((share) => `    -> ${shareText(share)}`),
    ...sharesIn.map((share) => `    <- ${shareText(share)}`),
  ];
}

function shareText({ subuserName, subuserNametag, status }: Share): string {
  return `${safeLine(subuserName)} (${subuserNametag}) ${toWord('SHARE_STATUS', status)}`;
}

/** How far a message has come. */
export function messageStatusView(messageId: string, answer: GetMessageStatusResponse): View {
  return recordView({ messageId, ...answer }, [
    ['status', toWord('MESSAGE_STATUS', answer.status)],
    ['reason', answer.deadReason],
    ['accepted', toTime(answer.acceptedAt)],
    ['settled', toTime(answer.settledAt)],
  ]);
}
