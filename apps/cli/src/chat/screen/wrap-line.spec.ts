import { describe, expect, it } from '@jest/globals';
import { ansiColours } from '../../terminal/colours';
import { wrapLine } from './wrap-line';

describe('wrapLine', () => {
  it.each([
    ['a line that fits', 'short enough', 'short enough'],
    ['a long line', 'one two three four five', 'one two three\nfour five'],
    ['a list item', '• one two three four', '• one two\n  three four'],
    ['a numbered item', '10. one two three four', '10. one two\n    three four'],
    ['a quotation', '│ one two three four', '│ one two\n│ three four'],
    [
      'a word longer than a row',
      'see https://example.org/long now',
      'see\nhttps://example.org/long\nnow',
    ],
    ['wide characters', '日本語 日本語 日本語', '日本語 日本語\n日本語'],
  ])('breaks lines only between words: %s', (_, text, wrapped) => {
    expect(wrapLine(text, 14)).toBe(wrapped);
  });

  it('does not count the escape sequences of colours towards the width of a line', () => {
    const text = `a ${ansiColours.bold('bold')} word or`;
    expect(wrapLine(text, 14)).toBe(text);
  });
});
