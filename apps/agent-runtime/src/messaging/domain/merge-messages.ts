import type { UserMessageEvent } from '../../agents';
import { isFromSchedule, type InboxItem } from './inbox-item';

type PersonItem = Extract<InboxItem, { kind: 'message' }>;
type SystemItem = Extract<InboxItem, { kind: 'system_message' }>;

/** The maximum that is joined for one turn; further messages wait for a later turn. */
export const mergeLimits = { items: 64, characters: 262_144 };

/**
 * Returns the items that an idle agent handles next: the first one and, if it is a message that can be joined, later
 * messages from the same sender with the same origin and trust. Any other item ends the batch, with one exception: if
 * the sender is not the agent's own user, messages from third users are skipped and stay queued, unless they are
 * silent. The first item is taken even if it alone exceeds a limit.
 */
export function nextWork(items: readonly InboxItem[]): readonly InboxItem[] {
  const [first, ...rest] = items;
  if (!first) return [];
  const work = [first];
  let characters = lengthOf(first);
  for (const item of rest) {
    if (mayBeOvertaken(first, item)) continue;
    characters += lengthOf(item);
    const isFull = work.length >= mergeLimits.items || characters > mergeLimits.characters;
    if (!isJoinable(first, item) || isFull) break;
    work.push(item);
  }
  return work;
}

function lengthOf(item: InboxItem): number {
  if (!('text' in item)) return 0;
  return (item.files ?? []).reduce((sum, { text = '' }) => sum + text.length, item.text.length);
}

/**
 * Reports whether messages that are joined with the first item may overtake this one. Messages from other users are
 * kept in order only per sending user, so a burst from one of them may overtake another one's message.
 */
function mayBeOvertaken(first: InboxItem, item: InboxItem): boolean {
  if (!isFromOtherUser(first) || !isFromOtherUser(item)) return false;
  return first.senderUserId !== item.senderUserId;
}

function isFromOtherUser(item: InboxItem): item is SystemItem {
  if (item.kind !== 'system_message' || item.silent) return false;
  return item.senderUserId !== undefined && item.senderUserId !== item.userId;
}

/** Reports whether an item may be handled in the same turn as the first one. */
function isJoinable(first: InboxItem, item: InboxItem): item is PersonItem | SystemItem {
  if (item.kind === 'message') return first.kind === 'message';
  if (item.kind !== 'system_message' || first.kind !== 'system_message') return false;
  return !first.silent && !item.silent && isSameSender(first, item);
}

/**
 * Reports whether one sender sent both messages, with the same origin and trust. The prompts and results of schedules
 * are never joined, nor are messages without a sender.
 */
function isSameSender(one: SystemItem, other: SystemItem): boolean {
  const mayBeJoined = one.senderUserId !== undefined && !isFromSchedule(one.origin);
  return (
    mayBeJoined &&
    sameFields.every((field) => one[field] === other[field]) &&
    isSameAgent(one, other)
  );
}

const sameFields = ['senderUserId', 'origin', 'trust', 'fromStranger'] as const;

function isSameAgent({ sender: one }: SystemItem, { sender: other }: SystemItem): boolean {
  return one?.agentId === other?.agentId;
}

/** Joins a person's messages into one; the newest decides where the reply goes. */
export function mergedMessage(items: readonly InboxItem[]): {
  readonly event: UserMessageEvent;
  readonly replyTarget: string;
} {
  const messages = items.filter((item): item is PersonItem => item.kind === 'message');
  const event: UserMessageEvent = {
    kind: 'user_message',
    ...joinTextsAndIds(messages),
    files: messages.flatMap(({ files }) => files),
    origin: '',
    silent: false,
  };
  return { event, replyTarget: messages.at(-1)?.replyTarget ?? '' };
}

/** Joins a burst from one sender into one event, which keeps the ids of all messages. */
export function mergedSystemMessage(items: readonly InboxItem[]): UserMessageEvent {
  const messages = items.filter((item): item is SystemItem => item.kind === 'system_message');
  const [first] = messages;
  return {
    kind: 'user_message',
    ...joinTextsAndIds(messages),
    files: messages.flatMap(({ files = [] }) => files),
    origin: first?.origin ?? '',
    silent: first?.silent ?? false,
    ...(first?.originName === undefined ? {} : { originName: first.originName }),
    ...(first?.forPerson ? { forPerson: true } : {}),
  };
}

function joinTextsAndIds(messages: readonly (PersonItem | SystemItem)[]) {
  return {
    text: messages
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n'),
    messageIds: messages.map(({ messageId }) => messageId),
  };
}
