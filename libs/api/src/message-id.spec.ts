import { describe, expect, it } from '@jest/globals';
import { messageIdOf } from './message-id';

describe('messageIdOf', () => {
  it('gives equal parts the same id', () => {
    expect(messageIdOf('friend-message', 'a', 'b')).toBe(messageIdOf('friend-message', 'a', 'b'));
  });

  it('gives different lists of parts different ids, even if joining the parts gives the same string', () => {
    const ids = [['a b', 'c'], ['a', 'b c'], ['a b c'], ['a', 'b', 'c'], ['a","b', 'c']].map(
      (parts) => messageIdOf(...parts),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('makes ids of 40 hexadecimal digits', () => {
    expect(messageIdOf('x')).toMatch(/^[0-9a-f]{40}$/);
  });
});
