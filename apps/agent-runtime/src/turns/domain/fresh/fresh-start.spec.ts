import { describe, expect, it } from '@jest/globals';
import type { AgentStep } from '../../../agents/domain/agent-state';
import {
  firstEntry,
  nextEntry,
  recordsOf,
  type HistoryEntry,
} from '../../../agents/domain/history-entry';
import type { InboxItem } from '../../../messaging/domain/inbox-item';
import { testWork } from '../../../test-support/turns/test-work';
import { giveUp } from '../failures/after-failure';
import { stopWork } from '../stop-turn';
import { beginWork } from '../begin-work';
import { finishWork } from '../turn-steps';

const at = new Date('2026-01-01T00:00:00Z');
const limits = { emergencyContextLimit: 1_000 };
const first = firstEntry({ id: 'a1', userId: 'u1' }, at);
const take = (before: HistoryEntry, step: AgentStep): HistoryEntry =>
  nextEntry(before, step, { holder: 'r1', fence: 1 }, at);

type SystemItem = Extract<InboxItem, { kind: 'system_message' }>;
const tick = (messageId: string, overrides: Partial<SystemItem> = {}): InboxItem => ({
  agentId: 'a1',
  userId: 'u1',
  acceptedAt: at,
  senderUserId: 'u1',
  kind: 'system_message',
  messageId,
  origin: 'cron:c1',
  silent: false,
  hops: 0,
  text: 'Make tea',
  ...overrides,
});
const answer = {
  kind: 'assistant_message',
  text: 'Done',
  toolCalls: [],
  usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
  provider: 'local',
  model: 'echo',
  replyTarget: '',
} as const;

type Kind = Parameters<typeof beginWork>[3]['kind'];
const begin = (before: HistoryEntry, item: InboxItem, kind: Kind = 'cron'): HistoryEntry =>
  take(
    before,
    beginWork(before.state, [item], limits, { kind, foreground: false, ownerUserId: undefined }),
  );
const finish = (before: HistoryEntry): HistoryEntry =>
  take(before, finishWork(before.state.current!, answer));
const kindsOf = (entry: HistoryEntry): string[] => recordsOf(entry).map(({ kind }) => kind);

describe('a scheduled run', () => {
  it('each run of a schedule that has its own agent starts with an empty context', () => {
    let entry = begin(first, tick('t1'));
    expect(kindsOf(entry)).toEqual(['user_message']);
    const { contextTokens } = entry.state;
    for (const id of ['t2', 't3', 't4']) {
      entry = begin(finish(entry), tick(id));
      expect(kindsOf(entry)).toEqual(['start', 'user_message']);
      expect(entry.state).toMatchObject({
        contextTokens,
        contextFrom: entry.state.lastSequence - 1,
        current: { turn: entry.state.lastSequence, messageIds: [id] },
      });
    }
  });

  it('a scheduled run in an agent that the schedule names continues that agent’s context', () => {
    const next = begin(finish(begin(first, tick('t1'), 'permanent')), tick('t2'), 'permanent');
    expect(kindsOf(next)).toEqual(['user_message']);
    expect(next.state.contextFrom).toBe(1);
  });

  it('a scheduled run does not inherit the labels of the previous run', () => {
    const guest = begin(first, tick('t1', { trust: 'guest', carriesPrivate: true }));
    expect(guest.state.current).toMatchObject({ trust: 'guest', foreignWriter: 'several' });
    const own = begin(finish(guest), tick('t2'));
    expect(own.state).toMatchObject({ contextTrust: 'own' });
    expect(own.state.current).toMatchObject({ trust: 'own' });
    expect(own.state).not.toHaveProperty('contextWriter');
    expect(own.state.current).not.toHaveProperty('foreignWriter');
  });

  it('a scheduled run does not withdraw the permission requests of earlier runs, but a reset does', () => {
    const next = finish(begin(finish(begin(first, tick('t1'))), tick('t2')));
    expect(next.state).toMatchObject({ contextFrom: 4, askedFrom: 1 });
    const again = finish(begin(next, tick('t3')));
    expect(again.state.askedFrom).toBe(1);
    const reset = { ...tick('r'), kind: 'reset', message: '' } as unknown as InboxItem;
    expect(begin(again, reset).state).not.toHaveProperty('askedFrom');
  });

  it('the settlement of a scheduled run names its schedule, however the run ends', () => {
    const begun = begin(first, tick('t1', { trust: 'guest' }));
    const work = begun.state.current!;
    const scheduled = { origin: 'cron:c1', trust: 'guest', foreignWriter: 'several', hops: 0 };
    for (const step of [
      finishWork(work, answer),
      giveUp(work, 'no'),
      stopWork(work, { kind: 'reset' }),
    ])
      expect(take(begun, step).state.settled).toMatchObject({ messageIds: ['t1'], scheduled });
    const file = { id: 'f1', name: 'plan.txt', mimeType: 'text/plain', size: 5 };
    const withFile = take(begun, { events: [], current: { ...work, files: [file] } });
    expect(finish(withFile).state.settled).toMatchObject({ scheduled: { files: [file] } });
    const person = take(first, { events: [], current: testWork() });
    expect(finish(person).state.settled).not.toHaveProperty('scheduled');
  });
});

it('the turn that handles a decision has the labels of the run that asked, even if a later run has cleared the context', () => {
  const ran = finish(begin(first, tick('t1', { trust: 'guest' })));
  const next = finish(begin(ran, tick('t2')));
  const decision: InboxItem = {
    agentId: 'a1',
    userId: 'u1',
    messageId: 'd',
    acceptedAt: at,
    kind: 'permission_decision',
    permissionRequestId: 'p',
    permission: 'network',
    granted: true,
    contextFrom: 1,
    askedIn: {
      trust: 'guest',
      readPrivate: true,
      foreignWriter: 'bob',
      hops: 0,
      startedBy: { source: 'schedule', origin: 'cron:c1', byPerson: false },
    },
  };
  const { state } = begin(next, decision);
  const labels = { trust: 'guest', readPrivate: true, foreignWriter: 'bob' };
  expect(state.current).toMatchObject(labels);
  expect(state.contextWriter).toBe('bob');
});

describe('the result of a scheduled run', () => {
  const result = tick('r1', {
    origin: 'result:cron:c1',
    originName: 'tea',
    silent: true,
    forPerson: true,
  });

  it('the result of a scheduled run is recorded silently, with the schedule’s name', () => {
    const recorded = begin(first, result, 'user');
    expect(recordsOf(recorded)).toMatchObject([
      { kind: 'user_message', originName: 'tea', forPerson: true, silent: true, text: 'Make tea' },
    ]);
    expect(recorded.state.current).toBeUndefined();
  });

  it('the result of a scheduled run becomes a note, and does not reset the context, if the context is full', () => {
    const full = begin(first, tick('t0', { text: 'x'.repeat(3_990) }), 'user');
    const recorded = begin(finish(full), result, 'user');
    expect(recordsOf(recorded)).toMatchObject([{ kind: 'note', text: 'tea: Make tea' }]);
    expect(recorded.state.contextFrom).toBe(1);
  });

  it('the result of a scheduled run names the run’s files, even if it is recorded as a note', () => {
    const file = { id: 'f1', name: 'plan.txt', mimeType: 'text/plain', size: 5 };
    const withFile = { ...result, files: [file] };
    expect(recordsOf(begin(first, withFile, 'user'))).toMatchObject([{ files: [file] }]);
    const full = begin(first, tick('t0', { text: 'x'.repeat(3_990) }), 'user');
    expect(recordsOf(begin(finish(full), withFile, 'user'))).toMatchObject([
      { kind: 'note', text: 'tea: Make tea\n[file plan.txt, id f1]' },
    ]);
  });
});
