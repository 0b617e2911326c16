import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { AnsweredMessages } from './answered-messages';

const record = ($case: string, value: object): HistoryRecord =>
  ({ sequence: 1, recordedAt: undefined, record: { $case, value } }) as unknown as HistoryRecord;
const received = (...messageIds: string[]) => record('userMessage', { messageIds, silent: false });
const answer = (...toolCalls: object[]) => record('assistantMessage', { toolCalls });

describe('AnsweredMessages', () => {
  let messages: AnsweredMessages;
  beforeEach(() => {
    messages = new AnsweredMessages();
  });
  const add = (...records: HistoryRecord[]): void =>
    records.forEach((entry) => messages.add(entry));

  it('marks a message as answered by the first reply without tool calls', () => {
    add(received('m1'), answer({ name: 'exec' }), record('toolResult', {}));
    expect(messages.stateOf('m1')).toBeUndefined();
    add(answer());
    expect(messages.stateOf('m1')).toBe('answered');
  });

  it('reports the agent as busy from the receipt of a message until a note ends the work', () => {
    expect(messages.isBusy).toBe(false);
    add(received('m1'), answer({ name: 'exec' }));
    expect(messages.isBusy).toBe(true);
    add(record('note', { text: 'Stopped.', endsWork: true }));
    expect(messages.isBusy).toBe(false);
  });

  it('marks messages received together as answered by one reply, but not a later message', () => {
    add(received('m1', 'm2'), answer(), received('m3'));
    expect(['m1', 'm2', 'm3'].map((id) => messages.stateOf(id))).toEqual([
      'answered',
      'answered',
      undefined,
    ]);
  });

  it('marks a message as failed when the agent gives up', () => {
    add(received('m1'), record('note', { text: 'The model failed', endsWork: true }));
    expect(messages.stateOf('m1')).toBe('failed');
  });

  it('stays busy after a note that does not end the work', () => {
    add(received('m1'), record('note', { text: 'Waiting for the provider', endsWork: false }));
    expect(messages.stateOf('m1')).toBeUndefined();
    expect(messages.isBusy).toBe(true);
  });

  it('does not mark a message as answered by a reply recorded before that message', () => {
    add(answer(), received('m1'));
    expect(messages.stateOf('m1')).toBeUndefined();
  });
});
