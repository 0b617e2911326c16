import { describe, expect, it } from '@jest/globals';
import type { AgentStep } from '../../agents/domain/agent-state';
import {
  firstEntry,
  nextEntry,
  recordsOf,
  type HistoryEntry,
} from '../../agents/domain/history-entry';
import type { AssistantMessageEvent } from '../../agents/domain/context/history-record';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import { contextFullNote } from '../../messaging/domain/message-wording';
import { maxInterruptions, maxTries } from './failures/retry-policy';
import { failWork } from './failures/after-failure';
import { beginWork, finishWork, assumeLease, resumeWork } from './turn-steps';

const start = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(start.getTime() + ms);
const limits = { emergencyContextLimit: 100 };
const writer = { holder: 'r1', fence: 1 };
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
const answer = (text: string): AssistantMessageEvent => ({
  kind: 'assistant_message',
  text,
  toolCalls: [],
  usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
  provider: 'local',
  model: 'echo',
  replyTarget: '',
});

const first = firstEntry({ id: 'a1', userId: 'u1' }, start);
const take = (before: HistoryEntry, step: AgentStep, at = start): HistoryEntry =>
  nextEntry(before, step, writer, at);
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

  it('trusts only messages from the user’s own agents and schedules, and from the owner’s agents', () => {
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

describe('work in progress', () => {
  const begun = beginWith([personMessage('hello')]);
  const work = begun.state.current!;

  it('a single entry records the answer, ends the work and settles its items', () => {
    const { state, events } = take(begun, finishWork(work, answer('hi')), later(5));
    expect(events).toHaveLength(1);
    expect(state).toMatchObject({
      current: undefined,
      settled: { messageIds: ['hello'] },
      usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
      busyAt: later(5),
    });
    expect(state.settled?.dead).toBeUndefined();
  });

  it('work is retried with growing delays after failures and abandoned after the fifth', () => {
    let entry = begun;
    const waits: number[] = [];
    for (let failure = 1; failure < maxTries; failure += 1) {
      entry = take(entry, failWork(entry.state.current!, 'broken', start));
      waits.push(entry.state.current!.notBefore!.getTime() - start.getTime());
      expect(entry.events).toEqual([]);
      entry = take(entry, resumeWork(entry.state.current!));
      expect(entry.state.current).toMatchObject({ failures: failure, notBefore: undefined });
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
    const { state, events } = take(entry, failWork(entry.state.current!, 'broken', start));
    expect(events).toEqual([
      { kind: 'note', text: expect.stringContaining('broken'), endsWork: true },
    ]);
    expect(state.settled).toEqual({
      messageIds: ['hello'],
      dead: { reason: 'broken', attempts: maxTries },
    });
  });

  it('work continues immediately after a few interruptions and with a delay after more, and is abandoned in the end', () => {
    let entry = begun;
    let waited = 0;
    for (let count = 1; count < maxInterruptions; count += 1) {
      entry = take(entry, assumeLease(entry.state, start));
      if (!entry.state.current?.notBefore) continue;
      waited += 1;
      entry = take(entry, resumeWork(entry.state.current));
    }
    expect(waited).toBe(maxInterruptions - 1 - 3);
    const { state } = take(entry, assumeLease(entry.state, start));
    expect(state.settled?.dead).toMatchObject({ attempts: maxInterruptions });
  });

  it('failures and interruptions of work are counted separately', () => {
    const failed = take(begun, failWork(work, 'broken', start));
    const again = take(failed, resumeWork(failed.state.current!));
    const taken = take(again, assumeLease(again.state, start));
    expect(taken.state.current).toMatchObject({ failures: 1, interruptions: 1 });
  });
});

describe('assumeLease', () => {
  it('taking over a lease does not count as an interruption of work that is waiting for its retry', () => {
    const begun = beginWith([personMessage('hello')]);
    const waiting = take(begun, failWork(begun.state.current!, 'broken', start));
    expect(take(waiting, assumeLease(waiting.state, start)).state).toEqual(waiting.state);
  });

  it('taking over a lease changes only the entry’s number, holder and fence when no work is in progress', () => {
    const done = take(
      beginWith([personMessage('hello')]),
      finishWork(beginWith([personMessage('hello')]).state.current!, answer('hi')),
    );
    const claimed = nextEntry(
      done,
      assumeLease(done.state, later(9)),
      { holder: 'r2', fence: 2 },
      later(9),
    );
    expect(claimed).toMatchObject({ number: done.number + 1, fence: 2, holder: 'r2', events: [] });
    expect(claimed.state).toEqual(done.state);
  });
});
