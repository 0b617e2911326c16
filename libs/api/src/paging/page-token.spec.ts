import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeJsonToken, decodePageToken, encodePageToken } from './page-token';

const encode = (text: string): string => Buffer.from(text).toString('base64url');

describe('decodePageToken', () => {
  it('returns the cursor that was encoded', () => {
    const number = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((n) => !Object.is(n, -0));
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 50 }), fc.constant('\ud83e'));
    fc.assert(
      fc.property(fc.array(fc.oneof(text, number), { maxLength: 4 }), (cursor) => {
        const token = encodePageToken(cursor);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodePageToken(token)).toEqual(cursor);
      }),
    );
  });

  it.each([
    '',
    'nonsense',
    encode('{}'),
    encode('null'),
    encode('"a"'),
    encode('[null]'),
    encode('[true]'),
    encode('[["a"]]'),
    encode('[{"$gt":""}]'),
    encode('[1e999]'),
    encode('[1.0]'),
    encode('[ "a" ]'),
    encode('["a"'),
    `${encode('["a"]')}=`,
    `${encode('["a"]')}!`,
    encode(JSON.stringify(['a'.repeat(5_000)])),
  ])('refuses the page token %j', (token) => {
    expect(decodePageToken(token)).toBeUndefined();
  });

  it('refuses a token that is nested too deeply to be encoded', () => {
    const token = encode('['.repeat(6_000) + ']'.repeat(6_000));
    expect(decodeJsonToken(token, 16_384)).toBeUndefined();
  });

  it('never throws, and accepts only tokens that encodePageToken could have produced', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encode)), (token) => {
        const cursor = decodePageToken(token);
        if (cursor !== undefined) expect(encodePageToken(cursor)).toBe(token);
      }),
    );
  });
});
