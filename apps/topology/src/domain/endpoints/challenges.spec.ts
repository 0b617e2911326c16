import { describe, expect, it } from '@jest/globals';
import { confineChallenges } from './challenges';

const own = 'Basic realm="endpoint e1", charset="UTF-8"';

describe('confineChallenges', () => {
  it.each([
    ['Basic realm="endpoint e2"', [own]],
    ['Basic', [own]],
    ['basic REALM=x', [own]],
    ['Basic realm="a, Basic b", charset="UTF-8"', [own]],
    ['Basic realm="x\\", Bearer y=\\"z"', [own]],
    ['Basic realm="one", Basic realm="two"', [own]],
    ['Bearer realm="https://auth.example/token", scope="a b"', undefined],
    ['Bearer', undefined],
    ['Basic realm="x", Bearer error="e"', [own, 'Bearer error="e"']],
    ['Digest realm="endpoint e2", nonce="n", Basic realm="x"', [own]],
    ['Digest realm="endpoint e2", nonce="n"', []],
    ['Negotiate', []],
    ['NTLM TlRMTVNTUAAB==', []],
    ['Negotiate abc==, Basic realm="x"', [own]],
    ['realm="x"', []],
    ['"Basic"', []],
    ['Basic realm="endpoint e2', [own]],
    ['', []],
    [', ,', []],
  ])('a visitor of endpoint e1 sees %j as %j', (value, expected) => {
    expect(confineChallenges(value, 'e1')).toEqual(expected ?? [value]);
  });

  it('takes time in proportion to the length of the header', () => {
    for (const part of ['"\\', 'a=', ',', 'Basic ', '"a",'])
      expect(confineChallenges(part.repeat(4_000), 'e1').length).toBeLessThan(2);
  });
});
