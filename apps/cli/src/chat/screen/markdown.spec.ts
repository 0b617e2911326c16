import { describe, expect, it } from '@jest/globals';
import { MarkdownLines } from './markdown';

const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
const style = { bold: tag('b'), dim: tag('d'), italic: tag('i'), cyan: tag('c') };
const render = (text: string): string => {
  const lines = new MarkdownLines(style);
  return text
    .split('\n')
    .map((line) => lines.render(line))
    .join('\n');
};

describe('MarkdownLines', () => {
  it.each([
    ['## Soup ##', '<b>Soup</b>'],
    ['Add **salt** and *pepper*.', 'Add <b>salt</b> and <i>pepper</i>.'],
    ['__two__ _words_', '<b>two</b> <i>words</i>'],
    ['- leeks\n  - two', '• leeks\n  • two'],
    ['1. first', '1. first'],
    ['> so be it', '<d>│ </d>so be it'],
    ['Run `npm *start*`', 'Run <c>npm *start*</c>'],
    ['[docs](https://example.org/a)', 'docs <d>(https://example.org/a)</d>'],
    ['---', `<d>${'─'.repeat(20)}</d>`],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
    ['a ** b', 'a ** b'],
  ])('renders %j as %j', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it('renders everything between fences as code', () => {
    expect(render('```js\n# not **bold**\n```\n**bold**')).toBe(
      '<d>```js</d>\n<c># not **bold**</c>\n<d>```</d>\n<b>bold</b>',
    );
  });

  it('shows the real address of a link, and leaves a link with an unsafe scheme as text', () => {
    expect(render('[https://bank.example](https://evil.example/)')).toContain('evil.example');
    expect(render('[x](javascript:alert)')).toBe('[x](javascript:alert)');
  });
});
