import type { Hints } from '../../failure/failure';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { parseCount } from '../kit/options';
import { listCommand, messageStatusView } from './friend-list';

const nametag = [
  '<friend>',
  "nametag, e.g. swiftfox42, or a friend's nickname or name",
  { kind: 'friend' },
] as const;
const subuser = [
  '<subuser>',
  'name, or id from "daycare subuser list"',
  { kind: 'subuser' },
] as const;
const hints: Hints = {
  NOT_FOUND: 'Check the nametag with the other user, or in "daycare friend list".',
  INVALID_ARGUMENT: 'Run "daycare friend list" to see names and nametags.',
};
const shareHints: Hints = {
  NOT_FOUND:
    'Check the nametag in "daycare friend list", and the subuser in "daycare subuser list".',
};

const add = defineCommand({
  name: 'add',
  description: 'send or accept a friend request, or accept a shared subuser',
  args: [
    [
      '<friend>',
      'nametag of a user, e.g. swiftfox42, or nametag or name of a subuser offered to you',
      { kind: 'friend' },
    ],
  ],
  examples: ['friend add swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const response = await graph.addFriend({ requestId: requestIds.next(), nametag: tag });
    return textView(response.summary, response);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'end a friendship, reject or cancel a request, or leave a shared subuser',
  args: [
    [
      '<friend>',
      'nametag, nickname or name of a friend, or nametag or name of a subuser shared with you',
      { kind: 'friend' },
    ],
  ],
  examples: ['friend remove swiftfox42', 'friend remove Bob --yes'],
  confirm: ([who], _, [tag]) =>
    `Remove ${who === tag ? tag : `${who} (${tag})`}? Removing a friend ends all sharing between you, and you may have to wait before you can send a new request.`,
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const response = await graph.removeFriend({ requestId: requestIds.next(), nametag: tag });
    return textView(response.summary, response);
  },
});

const send = defineCommand({
  name: 'send',
  description: 'send a message to a friend, to a subuser shared with you or to one of your own',
  args: [
    [
      '<friend>',
      'nametag, nickname or name of a friend, or of a subuser (your own, or one shared with you)',
      { kind: 'friend' },
    ],
    ['<text>', 'the message; - reads it from standard input'],
  ],
  examples: [
    'friend send swiftfox42 "Dinner at eight?"',
    'friend send Bob - < letter.txt',
    'friend send research-assistant "Summarize recent findings"',
  ],
  hints,
  async run({ session, args: [tag = '', text = ''] }) {
    const { graph, requestIds } = await session();
    const message = await readText(text);
    const request = { requestId: requestIds.next(), nametag: tag, message };
    const response = await graph.sendFriendMessage(request);
    const hint = `Track it with: daycare friend status ${response.messageId}`;
    return textView(`${response.summary}\n${hint}`, response);
  },
});

const share = defineCommand({
  name: 'share',
  description: 'offer one of your subusers to a friend',
  args: [nametag, subuser],
  examples: ['friend share swiftfox42 cook'],
  hints: shareHints,
  async run({ session, args: [friendNametag = '', id = ''] }) {
    const { graph, requestIds } = await session();
    const request = { requestId: requestIds.next(), friendNametag, subuserId: id };
    const response = await graph.shareSubuser(request);
    return textView(response.summary, response);
  },
});

const unshare = defineCommand({
  name: 'unshare',
  description: 'stop sharing a subuser with a friend, or withdraw the offer',
  args: [nametag, subuser],
  examples: ['friend unshare Bob cook'],
  hints: shareHints,
  async run({ session, args: [friendNametag = '', id = ''] }) {
    const { graph, requestIds } = await session();
    const request = { requestId: requestIds.next(), friendNametag, subuserId: id };
    const response = await graph.unshareSubuser(request);
    return textView(response.summary, response);
  },
});

const block = defineCommand({
  name: 'block',
  description: 'block a user and end any friendship with them; they are not notified',
  args: [nametag],
  examples: ['friend block swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const response = await graph.blockUser({ requestId: requestIds.next(), nametag: tag });
    return textView(response.summary, response);
  },
});

const unblock = defineCommand({
  name: 'unblock',
  description: 'unblock a user (does not restore a friendship)',
  args: [['<nametag>', 'nametag of the blocked user, e.g. swiftfox42', { kind: 'friend' }]],
  examples: ['friend unblock swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const response = await graph.unblockUser({ requestId: requestIds.next(), nametag: tag });
    return textView(response.summary, response);
  },
});

const nickname = defineCommand({
  name: 'nickname',
  description: 'give a friend a nickname that only you see; omit it to remove the nickname',
  args: [nametag, ['[nickname]', 'up to 100 characters']],
  examples: ['friend nickname swiftfox42 Bob', 'friend nickname Bob'],
  hints,
  async run({ session, args: [tag = '', newNickname = ''] }) {
    const { graph, requestIds } = await session();
    const request = { requestId: requestIds.next(), nametag: tag, nickname: newNickname };
    const response = await graph.setFriendNickname(request);
    return textView(response.summary, response);
  },
});

interface LimitOptions {
  readonly perHour?: number;
  readonly waiting?: number;
}

const limit = defineCommand<LimitOptions>({
  name: 'limit',
  description:
    'limit the messages that a friend may send to you and your subusers; a limit whose option is omitted is removed',
  args: [nametag],
  options: [
    ['--per-hour <count>', 'maximum number of messages per hour', { parse: parseCount }],
    [
      '--waiting <count>',
      'maximum number of messages waiting to be handled',
      { parse: parseCount },
    ],
  ],
  examples: ['friend limit swiftfox42 --per-hour 20', 'friend limit swiftfox42'],
  hints,
  async run({ session, args: [tag = ''], options: { perHour, waiting } }) {
    const { graph, requestIds } = await session();
    const limits = { messagesPerHour: perHour, messagesWaiting: waiting };
    const request = { requestId: requestIds.next(), nametag: tag, limits };
    const response = await graph.setFriendLimits(request);
    return textView(response.summary, response);
  },
});

const status = defineCommand({
  name: 'status',
  description: 'show the delivery status of a sent message',
  args: [['<message-id>', 'id from "daycare friend send"']],
  examples: ['friend status clx3k2…'],
  async run({ session, args: [messageId = ''] }) {
    const response = await (await session()).graph.getMessageStatus({ messageId });
    return messageStatusView(messageId, response);
  },
});

export const friendCommands: readonly AnyCommand[] = [
  listCommand,
  add,
  remove,
  send,
  status,
  share,
  unshare,
  block,
  unblock,
  limit,
  nickname,
];
