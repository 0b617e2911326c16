import { describe, expect, it } from '@jest/globals';
import { AssistantMessageRecord, UserMessageRecord } from '@daycare/contracts/agent-runtime';
import { estimateHeight } from './estimate-height';
import type { Row } from './to-rows';

const person = (text: string): Row => ({
  key: 1,
  at: undefined,
  kind: 'person',
  message: UserMessageRecord.fromPartial({ text }),
});
const base = estimateHeight(person(''));
const linesIn = (text: string): number => (estimateHeight(person(text)) - base) / 24;

describe('estimateHeight', () => {
  it('counts the lines of the text, and counts a line that wraps as several', () => {
    expect([linesIn('one'), linesIn('one\ntwo'), linesIn('one\n\nthree\n')]).toEqual([1, 2, 3]);
    expect([linesIn('x'.repeat(90)), linesIn('x'.repeat(91))]).toEqual([1, 2]);
  });

  it('reserves space for tool calls', () => {
    const answer = (count: number): Row => ({
      key: 1,
      at: undefined,
      kind: 'assistant',
      turnUsage: undefined,
      message: AssistantMessageRecord.fromPartial({}),
      calls: Array.from({ length: count }, () => ({ call: {} as never, result: undefined })),
    });
    expect(estimateHeight(answer(2))).toBeGreaterThan(estimateHeight(answer(0)));
  });
});
