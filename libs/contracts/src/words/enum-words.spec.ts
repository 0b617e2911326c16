import { describe, expect, it } from '@jest/globals';
import { enumOf, findWord, wordOf } from './enum-words';
import { AddFriendStatus } from '../social-graph';

describe('enum words', () => {
  it('names an enum value by its key in lower case', () => {
    expect(wordOf(AddFriendStatus, AddFriendStatus.PENDING_OUT)).toBe('pending_out');
  });

  it('returns the enum value for a word', () => {
    expect(enumOf(AddFriendStatus, 'pending_out')).toBe(AddFriendStatus.PENDING_OUT);
  });

  it.each([AddFriendStatus.UNSPECIFIED, AddFriendStatus.UNRECOGNIZED])(
    'has no word for the enum value %s',
    (value) => {
      expect(findWord(AddFriendStatus, value)).toBeUndefined();
      expect(() => wordOf(AddFriendStatus, value)).toThrow(value);
    },
  );
});
