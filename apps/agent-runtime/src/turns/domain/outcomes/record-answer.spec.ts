import { describe, expect, it } from '@jest/globals';
import type { AssistantMessageEvent } from '../../../agents';
import { testWork } from '../../../test-support/turns/test-work';
import { recordAnswer } from './record-answer';

const limits = { maxToolCallsPerAnswer: 8, maxToolCallsPerTurn: 8 };
const answer = (text: string): AssistantMessageEvent => ({
  kind: 'assistant_message',
  text,
  toolCalls: [],
  usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
  provider: 'p',
  model: 'm',
  replyTarget: '',
});
const record = (text: string, isTruncated: boolean, work = testWork()) =>
  recordAnswer(work, { foreground: true }, { answer: answer(text), isTruncated }, limits);

describe('recordAnswer', () => {
  it('an answer ends the work', () => {
    expect(record('hi', false)).toMatchObject({ events: [{ text: 'hi' }], current: undefined });
  });

  it('an answer truncated at its maximum length is recorded and continued, up to four times', () => {
    let work = testWork();
    for (let at = 1; at <= 4; at += 1) {
      const step = record('part', true, work);
      expect(step).toMatchObject({ events: [{ text: 'part' }], current: { continuations: at } });
      work = step.current!;
    }
    expect(record('end', true, work)).toMatchObject({
      events: [{ text: 'end' }, { kind: 'note' }],
      current: undefined,
    });
  });

  it('after an empty answer the model is called once more; a second empty answer ends the work with a note', () => {
    const again = record(' ', false);
    expect(again).toEqual({ events: [], current: { ...testWork(), wasEmpty: true } });
    expect(record('', false, again.current)).toMatchObject({
      events: [{ kind: 'assistant_message' }, { kind: 'note', text: 'The model gave no answer.' }],
      current: undefined,
    });
  });
});
