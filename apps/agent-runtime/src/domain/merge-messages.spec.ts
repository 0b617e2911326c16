import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { InboxItem, MessageItem } from './inbox-item';
import { mergedMessage, mergeLimits, nextWork } from './merge-messages';

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
const others: readonly InboxItem[] = [
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
];
const many = (count: number, text = 'x'): InboxItem[] =>
  Array.from({ length: count }, (_, index) => message(`m${index}`, { text }));

describe('the next work', () => {
  it('is nothing when nothing waits', () => {
    expect(nextWork([])).toEqual([]);
  });

  it('is all the messages that wait next to each other', () => {
    const messages = [message('m1'), message('m2'), message('m3')];
    expect(nextWork(messages)).toEqual(messages);
  });

  it.each(others)('is a $kind alone', (item) => {
    expect(nextWork([item])).toEqual([item]);
    expect(nextWork([item, item])).toEqual([item]);
    expect(nextWork([item, message('m1'), message('m2')])).toEqual([item]);
  });

  it.each(others)('ends before a $kind', (item) => {
    const messages = [message('m1'), message('m2')];
    expect(nextWork([...messages, item, message('m3')])).toEqual(messages);
  });

  it('is 64 messages at most', () => {
    expect(mergeLimits.items).toBe(64);
    expect(nextWork(many(64))).toHaveLength(64);
    expect(nextWork(many(65))).toEqual(many(64));
  });

  it('is 262,144 characters at most', () => {
    const half = 'x'.repeat(131_072);
    expect(nextWork(many(2, half))).toHaveLength(2);
    expect(nextWork(many(3, half))).toHaveLength(2);
    expect(nextWork([...many(2, half), message('m3', { text: '' })])).toHaveLength(3);
    expect(nextWork([...many(1, half), message('m2', { text: `${half}x` })])).toHaveLength(1);
  });

  it('is one message at least, however long', () => {
    const long = message('m1', { text: 'x'.repeat(mergeLimits.characters + 1) });
    expect(nextWork([long, message('m2', { text: '' })])).toEqual([long]);
  });

  it('handles every item once, in order, when taken until nothing waits', () => {
    const items = fc.array(fc.constantFrom(message('m1'), message('m2'), ...others));
    fc.assert(
      fc.property(items, (all) => {
        const handled: InboxItem[] = [];
        while (handled.length < all.length) {
          const work = nextWork(all.slice(handled.length));
          expect(work.length).toBeGreaterThan(0);
          handled.push(...work);
        }
        expect(handled).toEqual(all);
      }),
    );
  });
});

describe('merged messages', () => {
  const file = (id: string) => ({ id, name: id, mimeType: 'text/plain', size: 1 });

  it('are one of their texts, files and ids in order', () => {
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

  it('are answered where the newest came from, even if it does not say', () => {
    expect(mergedMessage([message('m1'), message('m2')]).replyTarget).toBe('reply to m2');
    const silent = message('m2', { replyTarget: '' });
    expect(mergedMessage([message('m1'), silent]).replyTarget).toBe('');
  });

  it('are as it was when there is one', () => {
    const { event, replyTarget } = mergedMessage([message('m1')]);
    expect(event).toMatchObject({ text: 'text of m1', messageIds: ['m1'] });
    expect(replyTarget).toBe('reply to m1');
  });
});
