import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodePosition, encodePosition, startOfFeed, type FeedPosition } from './feed-position';

const order = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const id = fc.constantFrom('', 'a1b2c3', '9f');
const position: fc.Arbitrary<FeedPosition> = fc.record({
  low: order,
  ahead: fc.array(fc.record({ order, id }), { maxLength: 20 }),
  partial: fc.option(fc.record({ order, sequence: fc.integer({ min: 1, max: 1e9 }) }), {
    nil: undefined,
  }),
});

describe('encoded feed positions', () => {
  it('encoding and then decoding a feed position yields the same position', () => {
    fc.assert(
      fc.property(position, (original) => {
        expect(decodePosition(encodePosition(original))).toEqual(
          original.partial ? original : { low: original.low, ahead: original.ahead },
        );
      }),
    );
  });

  it('an empty string decodes to the start of the feed', () => {
    expect(decodePosition('')).toEqual(startOfFeed);
  });

  it.each([
    'c1',
    'c1.',
    'c2.1.',
    'c1.zzzzzzzzzzzzz.',
    'c1.1..-5',
    'c1.1.5',
    'c1.1.5~0',
    'c1.1..!',
    'x',
  ])('the text %j does not decode to a feed position', (text) =>
    expect(decodePosition(text)).toBeUndefined(),
  );

  it('decoding a feed position never throws, whatever the text contains and however long it is', () => {
    expect(decodePosition(`c1.1.${'.1'.repeat(100_000)}`)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('c', '1', '.', 'z', '~', '-') }), (text) => {
        decodePosition(text);
      }),
    );
  });
});
