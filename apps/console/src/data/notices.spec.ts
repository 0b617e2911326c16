import { describe, expect, it } from '@jest/globals';
import { announce, announcement } from './notices';

describe('announce', () => {
  it('changes the announcement every time, even if the same text is announced again', () => {
    const said: string[] = [];
    for (const text of ['Done.', 'Done.', 'Done.', 'Other.']) {
      announce(text);
      said.push(announcement.value);
    }
    expect(said.map((text) => text.trim())).toEqual(['Done.', 'Done.', 'Done.', 'Other.']);
    expect(said.every((text, index) => text !== said[index - 1])).toBe(true);
  });
});
