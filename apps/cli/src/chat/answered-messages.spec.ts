import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { AnsweredMessages } from './answered-messages';

const record = ($case: string, value: object): HistoryRecord =>
  ({ sequence: 1, recordedAt: undefined, record: { $case, value } }) as unknown as HistoryRecord;
const heard = (...messageIds: string[]) => record('userMessage', { messageIds, silent: false });
const answer = (...toolCalls: object[]) => record('assistantMessage', { toolCalls });

describe('messages', () => {
  let messages: AnsweredMessages;
  beforeEach(() => {
    messages = new AnsweredMessages();
  });
  const hear = (...records: HistoryRecord[]): void =>
    records.forEach((each) => messages.hear(each));

  it('are answered by the first words after them that ask for no tool', () => {
    hear(heard('m1'), answer({ name: 'exec' }), record('toolResult', {}));
    expect(messages.stateOf('m1')).toBeUndefined();
    hear(answer());
    expect(messages.stateOf('m1')).toBe('answered');
  });

  it('that were joined are answered together, later ones are not', () => {
    hear(heard('m1', 'm2'), answer(), heard('m3'));
    expect(['m1', 'm2', 'm3'].map((id) => messages.stateOf(id))).toEqual([
      'answered',
      'answered',
      undefined,
    ]);
  });

  it('that the agent gave up on have failed', () => {
    hear(heard('m1'), record('note', { text: 'The model failed' }));
    expect(messages.stateOf('m1')).toBe('failed');
  });

  it('are not answered by what was said before them', () => {
    hear(answer(), heard('m1'));
    expect(messages.stateOf('m1')).toBeUndefined();
  });
});
