import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateRecordTokens, estimateTokens } from './estimate-tokens';
import { imagePlaceholder } from './inline-images';
import { noUsage, type FileReference, type HistoryEvent } from './history-record';

const file = (name: string, mimeType: string): FileReference => ({
  id: 'f1',
  name,
  mimeType,
  size: 9_000_000,
});
const userMessage = (
  text: string,
  files: readonly FileReference[] = [],
  origin = '',
): HistoryEvent => ({
  kind: 'user_message',
  text,
  files,
  messageIds: ['m1'],
  origin,
  silent: false,
});
const png = (base64: string): string => `data:image/png;base64,${base64}`;

describe('estimateTokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['x'.repeat(40), 10],
  ])('estimates one token for every four characters of %j, rounded up', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it.each([
    png('iVBORw0KGgo='),
    png(''),
    png('A-_b'),
    'DATA:IMAGE/PNG;BASE64,AAAA',
    'data:image/svg+xml;charset=utf-8;base64,AAAA',
    'data:image\\/png;base64,AA\\/AA',
  ])('counts %j as an image placeholder', (image) => {
    const text = (inner: string) => `{"a":"${inner}","b":"${'x'.repeat(40)}"}`;
    expect(estimateTokens(text(image))).toBe(estimateTokens(text(imagePlaceholder)));
    expect(estimateTokens(`${image} ${image}`)).toBe(Math.ceil((2 * 7 + 1) / 4));
  });

  it.each([
    'data:image/png,not-base64-at-all',
    'data:text/plain;base64,AAAAAAAAAAAA',
    'data:image/;base64,AAAAAAAAAAAA',
    `data:image/png;${'x'.repeat(200)}=1;base64,AAAA`,
  ])('counts %j as plain text', (text) => {
    expect(estimateTokens(text)).toBe(Math.ceil(text.length / 4));
  });

  it('the estimate does not depend on the size of inline images', () => {
    const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{0,50}={0,2}$/);
    fc.assert(
      fc.property(
        base64,
        base64,
        fc.constantFrom('', ' ', '"', '\\n', ')'),
        (data, otherData, end) => {
          const estimateWith = (image: string) => estimateTokens(`see ${png(image)}${end}`);
          expect(estimateWith(data)).toBe(estimateWith(otherData));
        },
      ),
    );
  });

  it('estimates the tokens of megabytes of text, whether it is one inline image, many beginnings of images or nothing but backslashes', () => {
    const megabytes = 8 * 1024 * 1024;
    expect(estimateTokens(png('A'.repeat(megabytes)))).toBe(2);
    const head = 'data:image/png;';
    const heads = head.repeat(Math.floor(megabytes / head.length));
    expect(estimateTokens(heads)).toBe(Math.ceil(heads.length / 4));
    expect(estimateTokens('\\'.repeat(megabytes))).toBe(megabytes / 4);
  });
});

describe('estimateRecordTokens', () => {
  it.each<readonly [string, HistoryEvent, number]>([
    ['a start', { kind: 'start' }, 0],
    ['a reset with its message', { kind: 'reset', message: 'x'.repeat(40), emergency: false }, 10],
    ['a note', { kind: 'note', text: 'x'.repeat(40) }, 0],
    ['a message', userMessage('x'.repeat(40)), 10],
    ['a message with a file', userMessage('x', [file('a.png', 'image/png')]), 14],
    ['a message from a friend, escaped', userMessage('"'.repeat(40), [], 'friend:o'), 73],
    ['a message with image data', userMessage(png('A'.repeat(400))), 2],
    [
      'an answer with tool calls',
      {
        kind: 'assistant_message',
        text: 'abcd',
        toolCalls: [
          { id: 'ignored', name: 'read', argumentsJson: '{"path":"abcd"}!' },
          { id: 'ignored', name: 'list', argumentsJson: '{}..' },
        ],
        usage: { ...noUsage, inputTokens: 1_000 },
        provider: 'p',
        model: 'm',
        replyTarget: 'r',
      },
      8,
    ],
    [
      'a tool result',
      {
        kind: 'tool_result',
        toolCallId: 'ignored',
        toolName: 'ignored',
        resultJson: `"${png('A'.repeat(400))}"`,
        isError: false,
        truncated: false,
      },
      3,
    ],
  ])('estimates the tokens of %s', (_, event, tokens) => {
    expect(estimateRecordTokens(event)).toBe(tokens);
  });
});
