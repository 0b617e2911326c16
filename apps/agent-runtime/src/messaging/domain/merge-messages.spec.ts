import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { InboxItem, MessageItem, SystemMessageItem } from './inbox-item';
import { mergedMessage, mergedSystemMessage, mergeLimits, nextWork } from './merge-messages';

const base = (messageId: string) => ({
  agentId: 'a1',
  userId: 'u1',
  messageId,
  acceptedAt: new Date(0),
});
const message = (messageId: string, more: Partial<MessageItem> = {}): InboxItem => ({
  ...base(messageId),
  kind: 'message',
  text: `text of ${messageId}`,
  files: [],
  replyTarget: `reply to ${messageId}`,
  ...more,
});
const otherItems: readonly InboxItem[] = [
  { ...base('s1'), kind: 'system_message', text: 't', origin: 'system', silent: false, hops: 0 },
  { ...base('s2'), kind: 'system_message', text: 't', origin: 'system', silent: true, hops: 0 },
  {
    ...base('p1'),
    kind: 'permission_decision',
    permissionRequestId: 'r1',
    permission: 'web',
    granted: true,
    contextFrom: 1,
  },
  { ...base('r1'), kind: 'reset', message: '' },
  { ...base('x1'), kind: 'stop' },
];
/** One of the messages that a friend's agent sends in a burst. */
const fromFriend = (messageId: string, more: Partial<SystemMessageItem> = {}): InboxItem => ({
  ...base(messageId),
  kind: 'system_message',
  text: `text of ${messageId}`,
  origin: 'friend:otter7',
  silent: false,
  hops: 1,
  sender: { agentId: 'a9', userId: 'u9' },
  senderUserId: 'u9',
  trust: 'guest',
  ...more,
});
const many = (count: number, text = 'x'): InboxItem[] =>
  Array.from({ length: count }, (_, index) => message(`m${index}`, { text }));

describe('nextWork', () => {
  it('returns nothing for an empty inbox', () => {
    expect(nextWork([])).toEqual([]);
  });

  it('takes all adjacent messages from a person', () => {
    const messages = [message('m1'), message('m2'), message('m3')];
    expect(nextWork(messages)).toEqual(messages);
  });

  it.each(otherItems)(
    'takes only one item at a time if it is of kind $kind and has no sender',
    (item) => {
      expect(nextWork([item])).toEqual([item]);
      expect(nextWork([item, item])).toEqual([item]);
      expect(nextWork([item, message('m1'), message('m2')])).toEqual([item]);
    },
  );

  it.each(otherItems)(
    'ends a batch of a person’s messages before an item of kind $kind',
    (item) => {
      const messages = [message('m1'), message('m2')];
      expect(nextWork([...messages, item, message('m3')])).toEqual(messages);
    },
  );

  it('takes adjacent messages from one sender', () => {
    const burst = [fromFriend('f1'), fromFriend('f2'), fromFriend('f3', { hops: 2 })];
    expect(nextWork(burst)).toEqual(burst);
    const fromPerson = burst.map(({ messageId }) => {
      const { sender: _, ...item } = fromFriend(messageId) as InboxItem & SystemMessageItem;
      return item;
    });
    expect(nextWork(fromPerson)).toEqual(fromPerson);
  });

  it.each<[string, Partial<SystemMessageItem>]>([
    [
      'a message from the agent’s own user',
      { senderUserId: 'u1', sender: { agentId: 'a8', userId: 'u1' } },
    ],
    ['a message from another agent of the same user', { sender: { agentId: 'a8', userId: 'u9' } }],
    ['a message with another origin', { origin: 'channel:team' }],
    ['a message with another level of trust', { trust: 'outside' }],
    ['a silent message', { silent: true }],
    ['a friend request', { fromStranger: true }],
  ])('a burst ends before %s', (_title, more) => {
    const items = [fromFriend('f1'), fromFriend('f2'), fromFriend('f3', more), fromFriend('f4')];
    expect(nextWork(items)).toEqual(items.slice(0, 2));
    expect(nextWork(items.slice(2))).toEqual(items.slice(2, 3));
  });

  it('joins the messages from one user even if other users’ messages lie between them, but not if any other item does', () => {
    const other = { senderUserId: 'u8', sender: { agentId: 'a8', userId: 'u8' } };
    const items = ['f0', 'f1', 'f2', 'f3'].map((id, n) => fromFriend(id, n % 2 ? other : {}));
    expect(nextWork(items)).toEqual([items[0], items[2]]);
    expect(nextWork([...items.slice(0, 2), ...otherItems, items[2]!])).toEqual([items[0]]);
    const outside = fromFriend('f4', { trust: 'outside' });
    expect(nextWork([...items.slice(0, 2), outside, items[2]!])).toEqual([items[0]]);
  });

  it('a person’s message does not overtake a friend’s', () => {
    expect(nextWork([message('m1'), fromFriend('f1'), message('m2')])).toEqual([message('m1')]);
  });

  it('never joins the prompts of a schedule', () => {
    const ticks = ['t1', 't2'].map((id) => fromFriend(id, { origin: 'cron:c1' }));
    expect(nextWork(ticks)).toEqual(ticks.slice(0, 1));
  });

  it('takes at most 64 messages', () => {
    expect(mergeLimits.items).toBe(64);
    expect(nextWork(many(64))).toHaveLength(64);
    expect(nextWork(many(65))).toEqual(many(64));
    const burst = Array.from({ length: 65 }, (_, index) => fromFriend(`f${index}`));
    expect(nextWork(burst)).toEqual(burst.slice(0, 64));
  });

  it('takes at most 262,144 characters', () => {
    const half = 'x'.repeat(131_072);
    expect(nextWork(many(2, half))).toHaveLength(2);
    expect(nextWork(many(3, half))).toHaveLength(2);
    expect(nextWork([...many(2, half), message('m3', { text: '' })])).toHaveLength(3);
    expect(nextWork([...many(1, half), message('m2', { text: `${half}x` })])).toHaveLength(1);
  });

  it('takes the first message even if it alone exceeds the limit', () => {
    const long = message('m1', { text: 'x'.repeat(mergeLimits.characters + 1) });
    expect(nextWork([long, message('m2', { text: '' })])).toEqual([long]);
  });

  it('repeated calls return every item once, and one message overtakes another only if they come from two different users, neither of them the agent’s own', () => {
    const other = { senderUserId: 'u8', sender: { agentId: 'a8', userId: 'u8' } };
    const friends = [{}, { trust: 'outside' }, other, { silent: true }] as const;
    const kinds = [message('m'), ...otherItems, ...friends.map((more) => fromFriend('f', more))];
    const items = fc
      .array(fc.constantFrom(...kinds))
      .map((drawn) => drawn.map((item, index) => ({ ...item, messageId: `i${index}` })));
    const otherUserOf = (item: InboxItem): string | undefined =>
      item.kind === 'system_message' && !item.silent ? item.senderUserId : undefined;
    fc.assert(
      fc.property(items, (all) => {
        let waiting: readonly InboxItem[] = all;
        while (waiting.length > 0) {
          const work = nextWork(waiting);
          expect(work[0]).toBe(waiting[0]);
          for (const item of work) {
            const overtaken = waiting
              .slice(0, waiting.indexOf(item))
              .filter((each) => !work.includes(each));
            const users = new Set(overtaken.map(otherUserOf));
            expect(users.has(undefined) || users.has(otherUserOf(item))).toBe(false);
            if (overtaken.length > 0) expect(otherUserOf(item)).toBeDefined();
          }
          const remaining = waiting.filter((item) => !work.includes(item));
          expect(remaining).toHaveLength(waiting.length - work.length);
          waiting = remaining;
        }
      }),
    );
  });
});

describe('mergedMessage', () => {
  const file = (id: string) => ({ id, name: id, mimeType: 'text/plain', size: 1 });

  it('joins texts, files and message ids in order', () => {
    const { event } = mergedMessage([
      message('m1', { text: 'one\ntwo', files: [file('f1')] }),
      message('m2', { text: '' }),
      message('m3', { text: ' ', files: [file('f2'), file('f3')] }),
      message('m4', { text: 'four' }),
    ]);
    expect(event).toEqual({
      kind: 'user_message',
      text: 'one\ntwo\n \nfour',
      files: [file('f1'), file('f2'), file('f3')],
      messageIds: ['m1', 'm2', 'm3', 'm4'],
      origin: '',
      silent: false,
    });
  });

  it('uses the newest message’s reply target, even if it is empty', () => {
    expect(mergedMessage([message('m1'), message('m2')]).replyTarget).toBe('reply to m2');
    const silent = message('m2', { replyTarget: '' });
    expect(mergedMessage([message('m1'), silent]).replyTarget).toBe('');
  });

  it('returns a single message unchanged', () => {
    const { event, replyTarget } = mergedMessage([message('m1')]);
    expect(event).toMatchObject({ text: 'text of m1', messageIds: ['m1'] });
    expect(replyTarget).toBe('reply to m1');
  });
});

describe('mergedSystemMessage', () => {
  it('joins the messages of a burst and keeps their ids', () => {
    expect(mergedSystemMessage([fromFriend('f1'), fromFriend('f2')])).toEqual({
      kind: 'user_message',
      text: 'text of f1\ntext of f2',
      files: [],
      messageIds: ['f1', 'f2'],
      origin: 'friend:otter7',
      silent: false,
    });
  });
});
