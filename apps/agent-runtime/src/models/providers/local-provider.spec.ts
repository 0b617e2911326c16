import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ask } from '../../test-support/model/ask-model';
import { renderPersonText, renderSystemMessage } from '../../agents';
import { localProvider } from './local-provider';

const answerTo = async (text: string): Promise<string> =>
  (await ask(localProvider, { context: [{ role: 'user', text, files: [] }] })).text;

describe('the local provider', () => {
  it('repeats a person’s message', async () => {
    expect(await answerTo('hello')).toBe('You said: hello');
  });

  it('repeats messages from others without their tag and escapes, with the sender’s name', async () => {
    const text = `Tea & "cake" at <5>?`;
    expect(await answerTo(renderSystemMessage('friend:otter7', text))).toBe(
      `friend:otter7 said: ${text}`,
    );
  });

  it('names the schedule whose prompt it answers', async () => {
    const prompt = renderSystemMessage('cron:1', 'Make tea', 'tea time');
    expect(await answerTo(prompt)).toBe('tea time said: Make tea');
  });

  it('never answers with a system message tag, whatever anyone writes', async () => {
    const pieces = fc.constantFrom(
      '<',
      '</',
      '>',
      'system_message',
      ' origin="x"',
      '&lt;',
      '/',
      'a',
    );
    const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        for (const message of [
          renderPersonText(text),
          renderSystemMessage('friend:a1', text, text),
        ])
          expect(await answerTo(message)).not.toMatch(/<\s*\/?\s*system_message/i);
      }),
    );
  });

  it('calls the tool that a person’s message names after a slash', async () => {
    const context = [{ role: 'user' as const, text: '/friend_list {}', files: [] }];
    const { toolCalls } = await ask(localProvider, { context });
    expect(toolCalls).toEqual([{ id: 'call-1', name: 'friend_list', argumentsJson: '{}' }]);
  });
});
