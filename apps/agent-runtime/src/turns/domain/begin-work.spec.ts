import { describe, expect, it } from '@jest/globals';
import { firstEntry, recordsOf, type HistoryEntry } from '../../agents/domain/history-entry';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import { contextFullNote } from '../../messaging/domain/message-wording';
import { start, take } from '../../test-support/turns/turn-items';
import { beginWork } from './begin-work';

const limits = { emergencyContextLimit: 100 };
const common = { agentId: 'a1', userId: 'u1', acceptedAt: start };

const personMessage = (text: string, messageId = text): InboxItem => ({
  ...common,
  kind: 'message',
  messageId,
  text,
  files: [],
  replyTarget: `reply-${messageId}`,
});
const friendMessage = (text: string, silent = false): InboxItem => ({
  ...common,
  kind: 'system_message',
  messageId: text,
  text,
  origin: 'friend:otter7',
  silent,
  hops: 1,
});

const first = firstEntry({ id: 'a1', userId: 'u1' }, start);
const beginWith = (
  items: [InboxItem, ...InboxItem[]],
  before = first,
  foreground = true,
): HistoryEntry =>
  take(
    before,
    beginWork(before.state, items, limits, { kind: 'user', foreground, ownerUserId: 'owner1' }),
  );

/** Begins work in a top-level user's agent; `beginWith` does so in a subuser's agent. */
const beginAsTopLevel = (items: [InboxItem, ...InboxItem[]], before: HistoryEntry): HistoryEntry =>
  take(
    before,
    beginWork(before.state, items, limits, {
      kind: 'user',
      foreground: true,
      ownerUserId: undefined,
    }),
  );

describe('beginWork', () => {
  it('records a person’s waiting messages as one message, and settles none of them yet', () => {
    const begun = beginWith([personMessage('one'), personMessage('two')]);
    expect(recordsOf(begun)).toMatchObject([
      { kind: 'user_message', text: 'one\ntwo', messageIds: ['one', 'two'], sequence: 2 },
    ]);
    expect(begun.state.current).toMatchObject({
      messageIds: ['one', 'two'],
      replyTarget: 'reply-two',
      failures: 0,
    });
    expect(begun.state.settled).toBeUndefined();
  });

  it('records a system message with its origin', () => {
    expect(beginWith([friendMessage('news')]).events).toMatchObject([
      { kind: 'user_message', text: 'news', origin: 'friend:otter7', silent: false },
    ]);
  });

  it('marks as trusted only system messages from the user’s own agents and schedules, and from the owner’s agents', () => {
    const from = (userId?: string): InboxItem => ({
      ...friendMessage('do it'),
      ...(userId ? { sender: { agentId: 'a2', userId } } : {}),
    });
    const eventOf = (item: InboxItem): unknown => beginWith([item]).events[0];
    expect(eventOf(from('u1'))).toMatchObject({ trusted: true });
    expect(eventOf(from('owner1'))).toMatchObject({ trusted: true });
    expect(eventOf(from('u2'))).not.toHaveProperty('trusted');
    expect(eventOf(from())).not.toHaveProperty('trusted');
    for (const origin of ['cron:c1', 'heartbeat']) {
      expect(eventOf({ ...from(), origin } as InboxItem)).toMatchObject({ trusted: true });
      expect(eventOf({ ...from('u2'), origin } as InboxItem)).not.toHaveProperty('trusted');
    }
  });

  it('records a silent message, settles it immediately and does not count it as activity', () => {
    const { state, events } = beginWith([friendMessage('psst', true)]);
    expect(events).toMatchObject([{ silent: true }]);
    expect(state).toMatchObject({ current: undefined, settled: { messageIds: ['psst'] } });
    expect(state.busyAt).toBeUndefined();
  });

  it('clears the context for a reset and settles the reset immediately', () => {
    const before = take(beginWith([personMessage('hello')]), { events: [], current: undefined });
    expect(before.state.contextTokens).toBeGreaterThan(0);
    const item: InboxItem = { ...common, kind: 'reset', messageId: 'r', message: '' };
    const { state, events } = beginWith([item], before);
    expect(events).toEqual([{ kind: 'reset', message: '', emergency: false }]);
    expect(state).toMatchObject({
      contextTokens: 0,
      contextFrom: 3,
      settled: { messageIds: ['r'] },
    });
  });

  it.each([true, false])(
    'records a permission decision as a system message (granted: %s)',
    (granted) => {
      const item: InboxItem = {
        ...common,
        kind: 'permission_decision',
        messageId: 'p',
        permissionRequestId: 'q',
        permission: 'network',
        granted,
        contextFrom: 1,
      };
      const [event] = beginWith([item]).events;
      expect(event).toMatchObject({ origin: 'system', silent: false });
      expect(event).toHaveProperty('text', expect.stringContaining(granted ? 'granted' : 'denied'));
    },
  );

  it('discards a permission decision if the agent was reset after the request', () => {
    const reset = beginWith([{ ...common, kind: 'reset', messageId: 'r', message: '' }]);
    const decision = {
      kind: 'permission_decision',
      messageId: 'p',
      permissionRequestId: 'q',
    } as const;
    const item = { ...common, ...decision, permission: 'network', granted: true };
    const { state, events } = beginWith([{ ...item, contextFrom: first.state.contextFrom }], reset);
    expect(events).toEqual([]);
    expect(state).toEqual({ ...reset.state, settled: { messageIds: ['p'], dead: undefined } });
    const { contextFrom } = reset.state;
    expect(beginWith([{ ...item, contextFrom }], reset).state.current).toBeDefined();
  });
});

describe('the emergency context limit', () => {
  const full = (tokens: number): HistoryEntry =>
    take(beginWith([personMessage('x'.repeat(tokens * 4))]), { events: [], current: undefined });

  it('a silent message to an agent whose context is full resets the context and notifies the person', () => {
    const { events, state } = beginWith([friendMessage('next', true)], full(100));
    expect(events.map(({ kind }) => kind)).toEqual(['reset', 'note', 'user_message']);
    expect(events[0]).toMatchObject({ emergency: true });
    expect(state.contextTokens).toBeLessThan(20);
  });

  it('a background agent’s full context is reset without a note', () => {
    const { events } = beginWith([friendMessage('next', true)], full(100), false);
    expect(events.map(({ kind }) => kind)).toEqual(['reset', 'user_message']);
  });

  it('a message that starts a turn is recorded however full the context is', () => {
    expect(beginWith([personMessage('next')], full(100)).events).toHaveLength(1);
  });

  it('a guest’s silent message that does not fit into a top-level user’s private context is abandoned and resets nothing', () => {
    const items: [InboxItem] = [friendMessage('next', true)];
    const before = take(beginAsTopLevel([personMessage('x'.repeat(396))], first), {
      events: [],
      current: undefined,
    });
    const { events, state } = beginAsTopLevel(items, before);
    expect(events).toEqual([{ kind: 'note', text: contextFullNote(), endsWork: true }]);
    expect(state).toMatchObject({
      current: undefined,
      contextFrom: before.state.contextFrom,
      contextTokens: before.state.contextTokens,
      settled: {
        messageIds: items.map(({ messageId }) => messageId),
        dead: { reason: "the agent's context is full", attempts: 0 },
      },
    });
  });
});
