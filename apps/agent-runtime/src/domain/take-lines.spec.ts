import { describe, expect, it } from '@jest/globals';
import { takeLines } from './take-lines';

const all = { offset: 0, limit: 100, mostCharacters: 1_000 };
const text = 'one\ntwo\n\nfour\n';

describe('takeLines', () => {
  it('takes all when they fit', () => {
    expect(takeLines(text, all)).toEqual({
      text: 'one\ntwo\n\nfour',
      count: 4,
      total: 4,
      isCut: false,
    });
  });

  it('takes as many as are wanted, from where they are wanted', () => {
    expect(takeLines(text, { ...all, offset: 1, limit: 2 })).toMatchObject({
      text: 'two\n',
      count: 2,
      total: 4,
    });
  });

  it('takes none after the end, nor of nothing', () => {
    expect(takeLines(text, { ...all, offset: 4 })).toMatchObject({ text: '', count: 0, total: 4 });
    expect(takeLines('', all)).toMatchObject({ text: '', count: 0, total: 0 });
  });

  it('takes whole lines as long as they fit', () => {
    expect(takeLines(text, { ...all, mostCharacters: 11 })).toMatchObject({ count: 2 });
  });

  it('cuts a line that does not fit by itself', () => {
    expect(takeLines('a'.repeat(50), { ...all, mostCharacters: 12 })).toEqual({
      text: 'a'.repeat(10),
      count: 1,
      total: 1,
      isCut: true,
    });
  });
});
