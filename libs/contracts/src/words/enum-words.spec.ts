import { describe, expect, it } from '@jest/globals';
import { enumOf, findWord, wordOf } from './enum-words';
import { AddFriendStatus } from '../social-graph';

describe('enum words', () => {
  it('are the keys of enum values in lower case', () => {
    expect(wordOf(AddFriendStatus, AddFriendStatus.PENDING_OUT)).toBe('pending_out');
  });

  it('are converted back to enum values', () => {
    expect(enumOf(AddFriendStatus, 'pending_out')).toBe(AddFriendStatus.PENDING_OUT);
  });

  it.each([AddFriendStatus.UNSPECIFIED, AddFriendStatus.UNRECOGNIZED])(
    'do not include the enum value %s',
    (value) => {
      expect(findWord(AddFriendStatus, value)).toBeUndefined();
      expect(() => wordOf(AddFriendStatus, value)).toThrow(value);
    },
  );
});
