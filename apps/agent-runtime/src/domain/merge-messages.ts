import type { UserMessageEvent } from './history-record';
import type { InboxItem } from './inbox-item';

type PersonItem = Extract<InboxItem, { kind: 'message' }>;

/** How much is handled as one turn at most; what goes beyond waits for the next. */
export const mergeLimits = { items: 64, characters: 262_144 };

/**
 * What an agent that has become free handles next: the first item, together with the person's messages
 * right behind it when it is one itself. The first is taken however long it is.
 */
export function nextWork(items: readonly InboxItem[]): readonly InboxItem[] {
  let characters = 0;
  const end = items.findIndex((item, index) => {
    if (item.kind !== 'message' || items[0]?.kind !== 'message') return index > 0;
    characters += item.text.length;
    return index > 0 && (index >= mergeLimits.items || characters > mergeLimits.characters);
  });
  return end < 0 ? items : items.slice(0, end);
}

/** The one message that some of a person's stand for; the newest says where the reply goes. */
export function mergedMessage(items: readonly InboxItem[]): {
  readonly event: UserMessageEvent;
  readonly replyTarget: string;
} {
  const messages = items.filter((item): item is PersonItem => item.kind === 'message');
  const texts = messages.map(({ text }) => text).filter((text) => text !== '');
  const event: UserMessageEvent = {
    kind: 'user_message',
    text: texts.join('\n'),
    files: messages.flatMap(({ files }) => files),
    messageIds: messages.map(({ messageId }) => messageId),
    origin: '',
    silent: false,
  };
  return { event, replyTarget: messages.at(-1)?.replyTarget ?? '' };
}
