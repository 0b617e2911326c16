import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findMentions } from './mentions';

const members = ['a', 'ab', 'dev', 'dev-ops', 'qa_1', '42'];

it.each([
  ['@dev have a look', ['dev']],
  ['have a look, @dev', ['dev']],
  ['(@dev), "@qa_1"! @42.', ['dev', 'qa_1', '42']],
  ['@DEV and @Dev', ['dev']],
  ['@a', ['a']],
  ['@ab', ['ab']],
  ['@abc', []],
  ['@dev-ops', ['dev-ops']],
  ['@dev-nothing', []],
  ['@dev- and then', ['dev']],
  ['@dev_', ['dev']],
  ['@dev’s turn', ['dev']],
  ['@dev:\n@a', ['a', 'dev']],
  ['mail bob@dev.example', []],
  ['é@dev', []],
  ['@devé', []],
  ['@@dev', ['dev']],
  ['@ dev, dev, @', []],
  ['@nobody', []],
])('in %j, the mentions %j are found', (text, expected) => {
  expect(findMentions(text, members)).toEqual(expected);
});

it('a mention is found between spaces, punctuation marks and symbols', () => {
  const around = fc.constantFrom('', ' ', ',', '.', '!', '(', ')', '\n', '“', '→', '🦊');
  fc.assert(
    fc.property(around, around, fc.constantFrom(...members), (before, after, name) => {
      expect(findMentions(`${before}@${name}${after}`, members)).toEqual([name]);
    }),
  );
});

it('no mention is found in 32,000 @ signs or in a name of 32,000 letters', () => {
  expect(findMentions('@'.repeat(32_000), members)).toEqual([]);
  expect(findMentions(`@${'a'.repeat(32_000)}é`, members)).toEqual([]);
});
