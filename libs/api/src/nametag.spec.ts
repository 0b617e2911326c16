import { describe, expect, it } from '@jest/globals';
import { parseNametag } from './nametag';

describe('parseNametag', () => {
  it.each(['swiftfox42', '  SwiftFox42\n', 'SWIFTFOX42'])('reads %p as swiftfox42', (typed) => {
    expect(parseNametag(typed)).toBe('swiftfox42');
  });

  it.each([
    '',
    '  ',
    'swiftfox',
    '42',
    '42swiftfox',
    'swift fox42',
    'swift-fox42',
    'swiftfox４２',
    'ſwiftfox42',
    `${'a'.repeat(64)}1`,
    'a1'.repeat(5_000),
  ])('refuses the nametag %p', (typed) => {
    expect(parseNametag(typed)).toBeUndefined();
  });
});
