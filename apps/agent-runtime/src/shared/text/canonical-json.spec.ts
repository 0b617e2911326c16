import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json';

describe('canonicalJson', () => {
  it('canonical JSON is identical for equal values, whatever their key order and white space', () => {
    const texts = ['{"b":[1,{"d":2,"c":"x"}],"a":null}', ' { "a":null, "b":[1,{"c":"x","d":2}] }'];
    const [first, second] = texts.map((text) => canonicalJson(JSON.parse(text)));
    expect(first).toBe('{"a":null,"b":[1,{"c":"x","d":2}]}');
    expect(second).toBe(first);
  });

  it('canonical JSON keeps a key with a special meaning in JavaScript, such as __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"y":1,"x":2}}'))).toBe(
      '{"__proto__":{"x":2,"y":1},"b":1}',
    );
  });

  it('canonical JSON parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(parsed))).toEqual(parsed);
      }),
    );
  });
});
