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
import { friendName, loadFriends, type FriendList } from '../../names/friends';
import { recordView } from '../../output/record';
import { renderTable, type Column } from '../../output/table';
import type { Style, View } from '../../output/view';
import { toTime, toWord } from '../../output/words';
import { defineCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';

export const listCommand = defineCommand<Limited>({
  name: 'list',
  description: 'list friends, shared subusers, pending requests and blocked users',
  options: [
    [
      limitOption[0],
      'maximum number of friends, of requests and of blocked users to show, counted separately',
      limitOption[2],
    ],
  ],
  examples: ['friend list', 'friend list -o json --limit 20'],
  async run({ session, options }) {
    const list = await loadFriends(await session(), options.limit);
    const names = list.friends.map(({ nametag }) => nametag);
    return { data: list, render: (style) => renderList(list, style), names };
  },
});

function renderList({ friends, requests, blocks, ...counts }: FriendList, style: Style): string {
  const { bold } = style.colours;
  const table = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] =>
    rows.length === 0 ? [] : [renderTable(rows, columns, '', style)];
  const shares = friends.flatMap((friend) => [
    ...friend.sharesOut.map((share) => ({ friend, share, direction: 'to' })),
    ...friend.sharesIn.map((share) => ({ friend, share, direction: 'from' })),
  ]);
  return [
    bold(`Friends (${counts.friendCount})`),
    ...table(friends, friendColumns),
    ...(shares.length > 0 ? ['', bold(`Shared subusers (${shares.length})`)] : []),
    ...table(shares, shareColumns),
    ...(requests.length > 0 ? ['', bold(`Requests (${counts.requestCount})`)] : []),
    ...table(requests, requestColumns),
    ...(blocks.length > 0 ? ['', bold(`Blocked (${counts.blockCount})`)] : []),
    ...table(blocks, blockColumns),
  ].join('\n');
}

const friendColumns: readonly Column<Friend>[] = [
  ['NAME', friendName, 'long'],
  ['NAMETAG', ({ nametag }) => nametag],
  ['AGE', ({ friendsSince }) => friendsSince],
  ['LIMITS', ({ limits }) => limitText(limits), 'long'],
];

interface ShareRow {
  readonly friend: Friend;
  readonly share: Share;
  readonly direction: string;
}

const shareColumns: readonly Column<ShareRow>[] = [
  ['SUBUSER', ({ share }) => share.subuserName, 'long'],
  ['NAMETAG', ({ share }) => share.subuserNametag],
  [
    'SHARED',
    ({ friend, direction }) => `${direction} ${friendName(friend) || friend.nametag}`,
    'long',
  ],
  ['STATUS', ({ share }) => toWord(ShareStatus, share.status)],
  ['AGE', ({ share }) => share.offeredAt],
];

const requestColumns: readonly Column<FriendRequest>[] = [
  ['NAME', ({ name }) => name, 'long'],
  ['NAMETAG', ({ nametag }) => nametag],
  ['STATE', ({ state }) => (state === TieState.PENDING_IN ? 'received' : 'sent')],
  ['AGE', ({ since }) => since],
];

const blockColumns: readonly Column<Block>[] = [
  ['NAMETAG', ({ nametag }) => nametag],
  ['AGE', ({ since }) => since],
];

/** The limits set with "friend limit"; empty when there are none. */
function limitText(limits: Friend['limits']): string {
  const { messagesPerHour: perHour, messagesWaiting: waiting } = limits ?? {};
  const parts = [
    ...(perHour === undefined ? [] : [`${perHour} messages per hour`]),
    ...(waiting === undefined ? [] : [`${waiting} waiting`]),
  ];
  return parts.length === 0 ? '' : `at most ${parts.join(', ')}`;
}

/** Shows a message's delivery status. */
export function messageStatusView(messageId: string, response: GetMessageStatusResponse): View {
  return recordView({ messageId, ...response }, [
    ['status', toWord(MessageStatus, response.status)],
    ['reason', response.deadReason],
    ['accepted', toTime(response.acceptedAt)],
    ['settled', toTime(response.settledAt)],
  ]);
}
