import { describe, expect, it } from '@jest/globals';
import { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { stillPending, type PendingMessage } from '../store/pending-message';
import { applyDelta } from './apply-delta';
import { describeOrigin } from './describe-origin';
import { appendRecords, keepNewest, lastSequence, prependPage } from './record-log';
import { isWorking, RowMaker } from './to-rows';

type Content = NonNullable<HistoryRecord['record']>;

const record = (sequence: number, content?: unknown): HistoryRecord =>
  HistoryRecord.fromPartial({ sequence, record: content as Content });
const person = (text: string, messageIds: string[] = []) => ({
  $case: 'userMessage',
  value: { text, messageIds },
});
const assistant = (text: string, callIds: string[] = [], inputTokens = 1) => ({
  $case: 'assistantMessage',
  value: {
    text,
    toolCalls: callIds.map((id) => ({ id, name: 'look', argumentsJson: '{}' })),
    usage: { inputTokens, outputTokens: 1, cachedInputTokens: 0 },
  },
});
const result = (toolCallId: string) => ({ $case: 'toolResult', value: { toolCallId } });
const sequences = (log: readonly HistoryRecord[]): number[] => log.map(({ sequence }) => sequence);

describe('a loaded part of a history', () => {
  it('keeps each record only once and in order, even if a stream repeats some', () => {
    const log = appendRecords([record(1), record(2)], [record(2), record(3), record(3), record(4)]);
    expect([sequences(log), lastSequence(log)]).toEqual([[1, 2, 3, 4], 4]);
  });

  it('prepends an earlier page, whose records are newest first, without the records already loaded', () => {
    expect(sequences(prependPage([record(3)], [record(3), record(2), record(1)]))).toEqual([
      1, 2, 3,
    ]);
  });

  it('keeps only the newest records', () => {
    expect(sequences(keepNewest([record(1), record(2), record(3)], 2))).toEqual([2, 3]);
  });
});

describe('applyDelta', () => {
  const delta = (text: string, position: number, attempt = 1) => ({ text, position, attempt });

  it('appends text to the draft, counting a character of two code units as one', () => {
    const draft = applyDelta(applyDelta(undefined, delta('a🙂', 0)), delta('b', 2));
    expect(draft).toEqual({ text: 'a🙂b', position: 3, attempt: 1 });
  });

  it('does not add text twice, and shows a gap for missed text', () => {
    const draft = applyDelta(undefined, delta('abc', 0));
    expect(applyDelta(draft, delta('bcd', 1)).text).toBe('abcd');
    expect(applyDelta(draft, delta('x', 9)).text).toBe('abc … x');
  });

  it('replaces the text when a new attempt begins, and ignores text from an earlier attempt', () => {
    const second = applyDelta(applyDelta(undefined, delta('no', 0)), delta('yes', 0, 2));
    expect(second.text).toBe('yes');
    expect(applyDelta(second, delta('no', 0, 1))).toBe(second);
  });
});

describe('rows', () => {
  it('a message’s row includes the results of its calls, and the turn’s last row has the usage of the whole turn', () => {
    const records = [
      record(1, person('go')),
      record(2, assistant('', ['c1'], 10)),
      record(3, result('c1')),
      record(4, assistant('done', [], 5)),
    ];
    const rows = new RowMaker().toRows(records);
    expect(rows.map(({ kind }) => kind)).toEqual(['person', 'assistant', 'assistant']);
    expect(rows[1]).toMatchObject({ calls: [{ result: { toolCallId: 'c1' } }] });
    expect(rows[2]).toMatchObject({ turnUsage: { inputTokens: 15, outputTokens: 2 } });
  });

  it('each result is matched to the right call even if two calls have the same id', () => {
    const [first, second] = [record(2, result('c1')), record(4, result('c1'))];
    const calls = [record(1, assistant('', ['c1'])), record(3, assistant('', ['c1']))];
    const rows = new RowMaker().toRows([calls[0]!, first, calls[1]!, second]);
    const shown = rows.map((row) => (row.kind === 'assistant' ? row.calls[0]?.result : undefined));
    expect(shown[0]).toBe((first.record as { value: unknown }).value);
    expect(shown[1]).toBe((second.record as { value: unknown }).value);
  });

  it('rows are the same objects as before until their content changes', () => {
    const maker = new RowMaker();
    const records = [record(1, person('go')), record(2, assistant('', ['c1']))];
    const before = maker.toRows(records);
    const after = maker.toRows([...records, record(3, result('c1'))]);
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
  });

  it('a result whose call is not loaded has a row of its own', () => {
    expect(new RowMaker().toRows([record(3, result('c1'))])).toMatchObject([{ kind: 'result' }]);
  });
});

describe('isWorking', () => {
  const note = (endsWork: boolean) => ({ $case: 'note', value: { text: '', endsWork } });
  it.each([
    ['is working after a message', [person('go')], true],
    ['is idle after an answer', [person('go'), assistant('done')], false],
    ['is working after a message with a tool call', [person('go'), assistant('', ['c'])], true],
    ['is working after a tool result', [person('go'), assistant('', ['c']), result('c')], true],
    ['is idle after a note that ends its work', [person('go'), note(true)], false],
    ['is working after a note that does not end its work', [person('go'), note(false)], true],
    ['is idle before its first record', [], false],
  ])('an agent %s', (_, contents, expected) => {
    expect(isWorking(contents.map((content, index) => record(index + 1, content)))).toBe(expected);
  });
});

describe('stillPending', () => {
  it('a pending message is removed when its record arrives', () => {
    const pending = [{ messageId: 'm1' }, { messageId: undefined }] as unknown as PendingMessage[];
    expect(stillPending(pending, [record(1, person('go', ['m1']))])).toEqual([pending[1]]);
  });
});

describe('describeOrigin', () => {
  const labelOf = (id: string): string | undefined => (id === 'a1' ? 'helper' : undefined);
  it.each([
    ['friend:otter7', '', 'otter7, a friend', Trust.GUEST],
    ['result:cron:c1', 'Morning', 'Result of Morning', Trust.OWN],
    ['webhook:hook', '', 'HTTP request hook', Trust.OUTSIDE],
    ['a1', '', 'helper', Trust.OWN],
    ['someone', '', 'Agent someone', Trust.GUEST],
    ['system', '', 'Daycare', undefined],
  ])('describes the origin %s (name %j) as %j', (origin, name, text, trust) => {
    expect(describeOrigin(origin, name, labelOf)).toEqual({ text, trust });
  });
});
