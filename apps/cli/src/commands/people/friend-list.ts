import {
  MessageStatus,
  ShareStatus,
  TieState,
  type Block,
  type Friend,
  type FriendRequest,
  type GetMessageStatusResponse,
  type Share,
} from '@daycare/contracts/social-graph';
import type { Session } from '../../client/session';
import { recordView } from '../../output/record';
import { safeLine } from '../../output/safe-text';
import type { View } from '../../output/view';
import { toTime, toWord } from '../../output/words';
import { defineCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';

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
  description: 'list friends with shared subusers, pending requests, and blocked users',
  options: [limitOption],
  examples: ['friend list', 'friend list -o json --limit 20'],
  async run({ session, options }) {
    const list = await loadAll(await session(), options.limit ?? Infinity);
    return { data: list, render: () => renderList(list) };
  },
});

/** Pages advance all three lists together; a list that has ended stays empty on later pages. */
async function loadAll({ graph }: Session, max: number): Promise<FriendList> {
  const pageSize = Math.min(1_000, max);
  let page = await graph.listFriends({ pageSize, pageToken: '' });
  const { friendCount, requestCount, blockCount } = page;
  const all = { friends: page.friends, requests: page.requests, blocks: page.blocks };
  const longest = (): number =>
    Math.max(all.friends.length, all.requests.length, all.blocks.length);
  while (page.nextPageToken !== '' && longest() < max) {
    page = await graph.listFriends({ pageSize, pageToken: page.nextPageToken });
    all.friends.push(...page.friends);
    all.requests.push(...page.requests);
    all.blocks.push(...page.blocks);
  }
  const { friends, requests, blocks } = all;
  return {
    friends: friends.slice(0, max),
    requests: requests.slice(0, max),
    blocks: blocks.slice(0, max),
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
        `  ${nametag} ${toWord(TieState, state)} since ${toTime(since)}`,
    ),
    `Blocked (${counts.blockCount})`,
    ...blocks.map(({ nametag, since }) => `  ${nametag} since ${toTime(since)}`),
  ].join('\n');
}

function friendLines({ nametag, sharesOut, sharesIn, limits }: Friend): string[] {
  return [
    `  ${nametag}${limitText(limits)}`,
    ...sharesOut.map((share) => `    -> ${shareText(share)}`),
    ...sharesIn.map((share) => `    <- ${shareText(share)}`),
  ];
}

/** The limits set with "friend limit"; empty when there are none. */
function limitText(limits: Friend['limits']): string {
  const { messagesPerHour: perHour, messagesWaiting: waiting } = limits ?? {};
  const parts = [
    ...(perHour === undefined ? [] : [`${perHour} messages per hour`]),
    ...(waiting === undefined ? [] : [`${waiting} waiting`]),
  ];
  return parts.length === 0 ? '' : ` (at most ${parts.join(', ')})`;
}

function shareText({ subuserName, subuserNametag, status }: Share): string {
  return `${safeLine(subuserName)} (${subuserNametag}) ${toWord(ShareStatus, status)}`;
}

/** The delivery status of a message. */
export function messageStatusView(messageId: string, answer: GetMessageStatusResponse): View {
  return recordView({ messageId, ...answer }, [
    ['status', toWord(MessageStatus, answer.status)],
    ['reason', answer.deadReason],
    ['accepted', toTime(answer.acceptedAt)],
    ['settled', toTime(answer.settledAt)],
  ]);
}
