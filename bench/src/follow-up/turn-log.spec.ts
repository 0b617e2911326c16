import { describe, expect, it } from '@jest/globals';
import type { HistoryRecord, UserMessageRecord } from '@daycare/contracts/agent-runtime';
import { summariseMessages, TurnLog } from './turn-log';

const message = (sequence: number, atMs: number, ids: string[], silent = false): HistoryRecord => {
  const from = { origin: '', originName: '', forPerson: false };
  const value: UserMessageRecord = { text: '', files: [], messageIds: ids, ...from, silent };
  return { sequence, recordedAt: new Date(atMs), record: { $case: 'userMessage', value } };
};

const answer = (sequence: number, atMs: number): HistoryRecord => {
  const words = { text: '', files: [], toolCalls: [], provider: '', model: '', replyTarget: '' };
  const value = { ...words, usage: undefined };
  return { sequence, recordedAt: new Date(atMs), record: { $case: 'assistantMessage', value } };
};

describe('TurnLog', () => {
  it('an answer is recorded for every message whose turn began after the previous answer', () => {
    const log = new TurnLog();
    [message(1, 10, ['a', 'b']), message(2, 12, ['c']), answer(3, 20)].forEach((r) => log.add(r));
    log.add(message(4, 30, ['d']));
    expect(log.messages).toEqual([
      { messageId: 'a', turn: 1, begunMs: 10, answeredMs: 20 },
      { messageId: 'b', turn: 1, begunMs: 10, answeredMs: 20 },
      { messageId: 'c', turn: 2, begunMs: 12, answeredMs: 20 },
      { messageId: 'd', turn: 4, begunMs: 30 },
    ]);
  });

  it('the turn log ignores messages that start no turn', () => {
    const log = new TurnLog();
    log.add(message(1, 10, ['a'], true));
    expect(log.messages).toEqual([]);
  });
});

describe('summariseMessages', () => {
  it('only messages and turns that were finished within the window are counted', () => {
    const messages = [
      { sentMs: 0, finishedMs: 90, turn: 'early' },
      { sentMs: 100, finishedMs: 110, turn: 'x' },
      { sentMs: 100, finishedMs: 130, turn: 'x' },
      { sentMs: 150, finishedMs: 600, turn: 'late' },
    ];
    expect(summariseMessages(messages, 100, 600)).toEqual({
      perSecond: 4,
      turnsPerSecond: 2,
      p50Ms: 10,
      p99Ms: 30,
    });
  });
});
