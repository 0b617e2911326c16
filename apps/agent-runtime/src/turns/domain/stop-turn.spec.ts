import { describe, expect, it } from '@jest/globals';
import type { CurrentWork } from '../../agents';
import type { InboxItem } from '../../messaging';
import { testWork } from '../../test-support/turns/test-work';
import { recordToolCalls } from './limit-tool-calls';
import { droppedOf, interruptionOf, stopAtTimeLimit, stopWork } from './stop-turn';

const work: CurrentWork = testWork({ messageIds: ['m1', 'm2'] });
const base = { agentId: 'a1', userId: 'u1', acceptedAt: new Date(0) };
const stop = (messageId: string): InboxItem => ({ ...base, messageId, kind: 'stop' });
const reset = (messageId: string): InboxItem => ({
  ...base,
  messageId,
  kind: 'reset',
  message: '',
});

describe('the end of a turn', () => {
  it('a turn continues as long as no stop or reset is waiting', () => {
    expect(interruptionOf(work, [])).toBeUndefined();
  });

  it('the oldest waiting stop or reset ends a turn', () => {
    expect(interruptionOf(work, [stop('s1'), reset('r1')])).toEqual({
      kind: 'stop',
      messageId: 's1',
    });
    expect(interruptionOf(work, [reset('r1'), stop('s1')])).toEqual({ kind: 'reset' });
  });

  it('a stop or reset that was already waiting when the turn began does not end it, but a later one does', () => {
    const laterWork = { ...work, earlierControls: ['r1'] };
    expect(interruptionOf(laterWork, [reset('r1')])).toBeUndefined();
    expect(interruptionOf(laterWork, [reset('r1'), stop('s1')])).toMatchObject({ messageId: 's1' });
  });

  it('stopping a turn removes its items and the stop from the inbox, without a dead letter', () => {
    expect(stopWork(work, { kind: 'stop', messageId: 's1' })).toMatchObject({
      events: [{ kind: 'note', text: 'Stopped.', endsWork: true }],
      current: undefined,
      settled: { messageIds: ['m1', 'm2', 's1'], dead: undefined, stoppedTurn: work.turn },
    });
  });

  it.each([
    ['a reset', 'reset'],
    ['the end of its agent', 'ended'],
  ] as const)('a turn ended by %s removes only its own items from the inbox', (_, kind) => {
    expect(stopWork(work, { kind }).settled).toMatchObject({ messageIds: ['m1', 'm2'] });
  });

  it('a turn ends when one of its messages is no longer allowed, and its other messages stay in the inbox', () => {
    expect(droppedOf(work, [stop('m2'), stop('m1')])).toBeUndefined();
    const interruption = droppedOf(work, [stop('m2')]);
    expect(stopWork(work, interruption!)).toMatchObject({
      events: [{ kind: 'note', text: expect.stringContaining('no longer') }],
      current: undefined,
      settled: { messageIds: ['m1'], dead: undefined, stoppedTurn: work.turn },
    });
  });

  it('a scheduled run that is replaced by a newer one records that it was replaced', () => {
    const startedBy = { ...work.startedBy, source: 'schedule', origin: 'cron:c1' } as const;
    const interruption = { kind: 'dropped', messageIds: ['m1'] } as const;
    expect(stopWork({ ...work, startedBy }, interruption)).toMatchObject({
      events: [{ kind: 'note', text: 'Replaced by a newer run.' }],
      settled: { messageIds: ['m1'], unfinished: 'it was replaced by a newer run' },
    });
  });

  it('a turn that takes too long reports how long it worked', () => {
    const { events } = stopAtTimeLimit({ ...work, spentMs: 30 * 60_000 });
    expect(events).toMatchObject([{ text: expect.stringContaining('30 minutes') }]);
  });
});

describe('the limits on tool calls', () => {
  const limits = { maxToolCallsPerAnswer: 32, maxToolCallsPerTurn: 200 };
  const answerWith = (count: number) => ({
    kind: 'assistant_message' as const,
    text: '',
    toolCalls: Array.from({ length: count }, (_, index) => ({
      id: `c${index}`,
      name: 'write',
      argumentsJson: '{}',
    })),
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
    provider: 'local',
    model: 'echo',
    replyTarget: '',
  });

  it('an answer may make 32 tool calls; further calls get an error as their result', () => {
    const { events, current } = recordToolCalls(work, answerWith(40), limits);
    expect(current).toMatchObject({ iterations: 1, toolCalls: 32 });
    expect(events).toHaveLength(9);
    expect(events[1]).toMatchObject({ kind: 'tool_result', toolCallId: 'c32', isError: true });
    expect(events.at(-1)).toMatchObject({ toolCallId: 'c39' });
  });

  it('a turn may make 200 tool calls; calls beyond that get an error, and the next answer with calls ends the turn', () => {
    const before = { ...work, toolCalls: 190 };
    const limited = recordToolCalls(before, answerWith(32), limits);
    expect(limited.current).toMatchObject({ toolCalls: 200 });
    expect(limited.events).toHaveLength(1 + 22);
    expect(limited.events[1]).toMatchObject({
      resultJson: expect.stringContaining('Only the first 10 calls in this answer were made'),
    });
    const over = recordToolCalls({ ...work, toolCalls: 200 }, answerWith(1), limits);
    expect(over).toMatchObject({ current: undefined, settled: { messageIds: ['m1', 'm2'] } });
    expect(over.events).toMatchObject([
      { kind: 'assistant_message' },
      {
        kind: 'tool_result',
        toolCallId: 'c0',
        isError: true,
        resultJson: expect.stringContaining('This turn has used all its tool calls'),
      },
      { kind: 'note', text: expect.stringContaining('200 tool calls'), endsWork: true },
    ]);
  });
});
