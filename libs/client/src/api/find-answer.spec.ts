import { describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { AnswerFinder } from './find-answer';

const record = (sequence: number, $case: string, value: object): HistoryRecord =>
  ({ sequence, record: { $case, value } }) as HistoryRecord;
const received = record(2, 'userMessage', { messageIds: ['other', 'mine'] });
const note = (text: string, endsWork: boolean) => record(3, 'note', { text, endsWork });
const replied = (text: string, toolCalls: object[] = []) =>
  record(4, 'assistantMessage', { text, toolCalls, files: [] });
const find = (...records: HistoryRecord[]) => {
  const finder = new AnswerFinder('mine', 'a1');
  return records.map((entry) => finder.next(entry)).find((answer) => answer !== undefined);
};

describe('AnswerFinder', () => {
  it('finds the first reply without tool calls after the message', () => {
    expect(find(replied('earlier'), received, replied('hm', [{}]))).toBeUndefined();
    expect(find(replied('earlier'), received, replied('hm', [{}]), replied('yes'))).toEqual({
      text: 'yes',
      files: [],
      agentId: 'a1',
      sequence: 4,
      failed: false,
    });
  });

  it('does not mistake an informational note for an answer', () => {
    expect(find(received, note('waiting for openai', false))).toBeUndefined();
    expect(find(received, note('groq/llama is used', false), replied('yes'))).toMatchObject({
      text: 'yes',
      failed: false,
    });
  });

  it('finds the note that ends the work of an agent that gave up or was stopped', () => {
    expect(find(received, note('Stopped.', true))).toMatchObject({
      text: 'Stopped.',
      failed: true,
    });
    expect(find(note('Stopped.', true), received)).toBeUndefined();
  });
});
