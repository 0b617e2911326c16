import type { Hints } from '../failure/failure';
import { textView } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { listCommand, messageStatusView } from './friend-list';

const nametag = ['<nametag>', 'e.g. swiftfox42'] as const;
const subuserId = ['<subuser-id>', 'as "daycare subuser list" shows it'] as const;
const hints: Hints = {
  NOT_FOUND:
    'Check the nametag: words, then digits. Ask the other person, or see "daycare friend list".',
  INVALID_ARGUMENT: 'Nametags are words followed by digits, e.g. swiftfox42.',
};
const shareHints: Hints = {
  NOT_FOUND: 'Check the nametag, and the id with "daycare subuser list".',
};

const add = defineCommand({
  name: 'add',
  description: 'ask for a friendship, accept one, or accept the offer of a subuser',
  args: [nametag],
  examples: ['friend add swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const answer = await graph.addFriend({ requestId: requestIds.next(), nametag: tag });
    return textView(answer.summary, answer);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'end a friendship, reject or cancel a request, or give up a shared subuser',
  args: [nametag],
  examples: ['friend remove swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const answer = await graph.removeFriend({ requestId: requestIds.next(), nametag: tag });
    return textView(answer.summary, answer);
  },
});

const send = defineCommand({
  name: 'send',
  description: "send a message to a friend's agents or to a subuser shared with you",
  args: [nametag, ['<text>', 'the message; - reads it from the standard input']],
  examples: ['friend send swiftfox42 "Dinner at eight?"', 'friend send swiftfox42 - < letter.txt'],
  hints,
  async run({ session, args: [tag = '', text = ''] }) {
    const { graph, requestIds } = await session();
    const message = await readText(text);
    const request = { requestId: requestIds.next(), nametag: tag, message };
    const answer = await graph.sendFriendMessage(request);
    return textView(answer.summary, answer);
  },
});

const share = defineCommand({
  name: 'share',
  description: 'offer a subuser of yours to a friend',
  args: [nametag, subuserId],
  examples: ['friend share swiftfox42 clx3k2…'],
  hints: shareHints,
  async run({ session, args: [friendNametag = '', id = ''] }) {
    const { graph, requestIds } = await session();
    const request = { requestId: requestIds.next(), friendNametag, subuserId: id };
    const answer = await graph.shareSubuser(request);
    return textView(answer.summary, answer);
  },
});

const unshare = defineCommand({
  name: 'unshare',
  description: 'take a subuser back from a friend, accepted or not',
  args: [nametag, subuserId],
  examples: ['friend unshare swiftfox42 clx3k2…'],
  hints: shareHints,
  async run({ session, args: [friendNametag = '', id = ''] }) {
    const { graph, requestIds } = await session();
    const request = { requestId: requestIds.next(), friendNametag, subuserId: id };
    const answer = await graph.unshareSubuser(request);
    return textView(answer.summary, answer);
  },
});

const block = defineCommand({
  name: 'block',
  description: 'hear nothing more from somebody, who is not told',
  args: [nametag],
  examples: ['friend block swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const answer = await graph.blockUser({ requestId: requestIds.next(), nametag: tag });
    return textView(answer.summary, answer);
  },
});

const unblock = defineCommand({
  name: 'unblock',
  description: 'lift a block; it does not bring a friendship back',
  args: [nametag],
  examples: ['friend unblock swiftfox42'],
  hints,
  async run({ session, args: [tag = ''] }) {
    const { graph, requestIds } = await session();
    const answer = await graph.unblockUser({ requestId: requestIds.next(), nametag: tag });
    return textView(answer.summary, answer);
  },
});

const status = defineCommand({
  name: 'status',
  description: 'how far a message that you sent has come',
  args: [['<message-id>', 'as "daycare friend send -o json" answered it']],
  examples: ['friend status clx3k2…'],
  async run({ session, args: [messageId = ''] }) {
    const answer = await (await session()).graph.getMessageStatus({ messageId });
    return messageStatusView(messageId, answer);
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
];
