import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAmount, toAmount } from './money';

it.each([
  ['1.5', 1_500_000],
  ['0', 0],
  ['12', 12_000_000],
  ['0.000001', 1],
  ['1.2345678', undefined],
  ['-1', undefined],
  ['1,5', undefined],
  ['1e3', undefined],
  ['', undefined],
])('reads %j as %j millionths', (text, micros) => expect(readAmount(text)).toBe(micros));

it('an amount below a billion stays the same when it is formatted and read again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (micros) => {
      expect(readAmount(toAmount(micros))).toBe(micros);
    }),
  );
});
