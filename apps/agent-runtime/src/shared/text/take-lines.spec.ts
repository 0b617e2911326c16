import { describe, expect, it } from '@jest/globals';
import { takeLines } from './take-lines';

const all = { offset: 0, limit: 100, maxCharacters: 1_000 };
const text = 'one\ntwo\n\nfour\n';

describe('takeLines', () => {
  it('returns all lines when they fit', () => {
    expect(takeLines(text, all)).toEqual({
      text: 'one\ntwo\n\nfour',
      count: 4,
      total: 4,
      isTruncated: false,
    });
  });

  it('returns the requested number of lines from the requested offset', () => {
    expect(takeLines(text, { ...all, offset: 1, limit: 2 })).toMatchObject({
      text: 'two\n',
      count: 2,
      total: 4,
    });
  });

  it('returns nothing after the end or for empty text', () => {
    expect(takeLines(text, { ...all, offset: 4 })).toMatchObject({ text: '', count: 0, total: 4 });
    expect(takeLines('', all)).toMatchObject({ text: '', count: 0, total: 0 });
  });

  it('returns only as many whole lines as fit', () => {
    expect(takeLines(text, { ...all, maxCharacters: 11 })).toMatchObject({ count: 2 });
  });

  it('truncates a single line that does not fit', () => {
    expect(takeLines('a'.repeat(50), { ...all, maxCharacters: 12 })).toEqual({
      text: 'a'.repeat(10),
      count: 1,
      total: 1,
      isTruncated: true,
    });
  });
});
