import { describe, expect, it } from '@jest/globals';
import { firstEntry, nextEntry, recordsOf, type HistoryEntry, type Step } from './agent-state';
import type { AssistantMessageEvent } from './history-record';
import type { InboxItem } from './inbox-item';
import { maxInterruptions, maxTries } from './retry-policy';
import { begin, fail, finish, takeCharge, tryAgain } from './turn-steps';

const start = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(start.getTime() + ms);
const limits = { emergencyContextLimit: 100 };
const writer = { holder: 'r1', fence: 1 };
const common = { agentId: 'a1', userId: 'u1', acceptedAt: start };

const said = (text: string, messageId = text): InboxItem => ({
  ...common,
  kind: 'message',
  messageId,
  text,
  files: [],
  replyTarget: `reply-${messageId}`,
});
const heard = (text: string, silent = false): InboxItem => ({
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

const born = firstEntry({ id: 'a1', userId: 'u1' }, start);
const take = (before: HistoryEntry, step: Step, at = start): HistoryEntry =>
  nextEntry(before, step, writer, at);
const beginWith = (
  items: [InboxItem, ...InboxItem[]],
  before = born,
  foreground = true,
): HistoryEntry =>
  take(before, begin(before.state, items, limits, { foreground, ownerUserId: 'owner1' }));

describe('beginning', () => {
  it('records a person’s messages as one and has them in hand until they are answered', () => {
    const begun = beginWith([said('one'), said('two')]);
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
    expect(beginWith([heard('news')]).events).toMatchObject([
      { kind: 'user_message', text: 'news', origin: 'friend:otter7', silent: false },
    ]);
  });

  it('takes for an order only what an agent of the same user, its schedule or the owner says', () => {
    const from = (userId?: string): InboxItem => ({
      ...heard('do it'),
      ...(userId ? { sender: { agentId: 'a2', userId } } : {}),
    });
    const trusted = (item: InboxItem): unknown => beginWith([item]).events[0];
    expect(trusted(from('u1'))).toMatchObject({ trusted: true });
    expect(trusted(from('owner1'))).toMatchObject({ trusted: true });
    expect(trusted(from('u2'))).not.toHaveProperty('trusted');
    expect(trusted(from())).not.toHaveProperty('trusted');
    for (const origin of ['cron:c1', 'heartbeat']) {
      expect(trusted({ ...from(), origin } as InboxItem)).toMatchObject({ trusted: true });
      expect(trusted({ ...from('u2'), origin } as InboxItem)).not.toHaveProperty('trusted');
    }
  });

  it('is all there is to a silent message, which leaves the inbox at once and wakes nobody', () => {
    const { state, events } = beginWith([heard('psst', true)]);
    expect(events).toMatchObject([{ silent: true }]);
    expect(state).toMatchObject({ current: undefined, settled: { messageIds: ['psst'] } });
    expect(state.busyAt).toBeUndefined();
  });

  it('is all there is to a reset, which clears the context', () => {
    const before = take(beginWith([said('hello')]), { events: [], current: undefined });
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

  it.each([true, false])('says what was decided about a permission (granted: %s)', (granted) => {
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
  });

  it('takes a decision off the inbox and no more when the agent was reset after it had asked', () => {
    const reset = beginWith([{ ...common, kind: 'reset', messageId: 'r', message: '' }]);
    const decision = {
      kind: 'permission_decision',
      messageId: 'p',
      permissionRequestId: 'q',
    } as const;
    const item = { ...common, ...decision, permission: 'network', granted: true };
    const { state, events } = beginWith([{ ...item, contextFrom: born.state.contextFrom }], reset);
    expect(events).toEqual([]);
    expect(state).toEqual({ ...reset.state, settled: { messageIds: ['p'], dead: undefined } });
    const { contextFrom } = reset.state;
    expect(beginWith([{ ...item, contextFrom }], reset).state.current).toBeDefined();
  });
});

describe('a context that has reached its limit', () => {
  const full = (tokens: number): HistoryEntry =>
    take(beginWith([said('x'.repeat(tokens * 4))]), { events: [], current: undefined });

  it('is reset before the next turn, and the person is told', () => {
    const { events, state } = beginWith([said('next')], full(100));
    expect(events.map(({ kind }) => kind)).toEqual(['reset', 'note', 'user_message']);
    expect(events[0]).toMatchObject({ emergency: true });
    expect(state.contextTokens).toBe(1);
  });

  it('is reset without a note where no person reads it', () => {
    const { events } = beginWith([said('next')], full(100), false);
    expect(events.map(({ kind }) => kind)).toEqual(['reset', 'user_message']);
  });

  it('stays as it is when one token is left with what has come', () => {
    expect(beginWith([said('next')], full(98)).events).toHaveLength(1);
  });
});

describe('going on with work', () => {
  const begun = beginWith([said('hello')]);
  const work = begun.state.current!;

  it('ends it with the answer, and takes it off the inbox in the same entry', () => {
    const { state, events } = take(begun, finish(work, answer('hi')), later(5));
    expect(events).toHaveLength(1);
    expect(state).toMatchObject({
      current: undefined,
      settled: { messageIds: ['hello'] },
      usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
      busyAt: later(5),
    });
    expect(state.settled?.dead).toBeUndefined();
  });

  it('tries again after a failure, later each time, and gives up after five', () => {
    let entry = begun;
    const waits: number[] = [];
    for (let failure = 1; failure < maxTries; failure += 1) {
      entry = take(entry, fail(entry.state.current!, 'broken', start));
      waits.push(entry.state.current!.notBefore!.getTime() - start.getTime());
      expect(entry.events).toEqual([]);
      entry = take(entry, tryAgain(entry.state.current!));
      expect(entry.state.current).toMatchObject({ failures: failure, notBefore: undefined });
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
    const { state, events } = take(entry, fail(entry.state.current!, 'broken', start));
    expect(events).toEqual([{ kind: 'note', text: expect.stringContaining('broken') }]);
    expect(state.settled).toEqual({
      messageIds: ['hello'],
      dead: { reason: 'broken', attempts: maxTries },
    });
  });

  it('goes on at once after a few interruptions, later after more, and gives up in the end', () => {
    let entry = begun;
    let waited = 0;
    for (let count = 1; count < maxInterruptions; count += 1) {
      entry = take(entry, takeCharge(entry.state, start));
      if (!entry.state.current?.notBefore) continue;
      waited += 1;
      entry = take(entry, tryAgain(entry.state.current));
    }
    expect(waited).toBe(maxInterruptions - 1 - 3);
    const { state } = take(entry, takeCharge(entry.state, start));
    expect(state.settled?.dead).toMatchObject({ attempts: maxInterruptions });
  });

  it('counts failures and interruptions apart', () => {
    const failed = take(begun, fail(work, 'broken', start));
    const again = take(failed, tryAgain(failed.state.current!));
    const taken = take(again, takeCharge(again.state, start));
    expect(taken.state.current).toMatchObject({ failures: 1, interruptions: 1 });
  });
});

describe('taking charge', () => {
  it('counts no interruption while the work waits for its time', () => {
    const begun = beginWith([said('hello')]);
    const waiting = take(begun, fail(begun.state.current!, 'broken', start));
    expect(take(waiting, takeCharge(waiting.state, start)).state).toEqual(waiting.state);
  });

  it('changes nothing but the number and the fence where nothing was in hand', () => {
    const done = take(
      beginWith([said('hello')]),
      finish(beginWith([said('hello')]).state.current!, answer('hi')),
    );
    const claimed = nextEntry(
      done,
      takeCharge(done.state, later(9)),
      { holder: 'r2', fence: 2 },
      later(9),
    );
    expect(claimed).toMatchObject({ number: done.number + 1, fence: 2, holder: 'r2', events: [] });
    expect(claimed.state).toEqual(done.state);
  });
});
