import { describe, expect, it } from '@jest/globals';
import { confineChallenges } from './challenges';

const basicForE1 = 'Basic realm="endpoint e1", charset="UTF-8"';

describe('confineChallenges', () => {
  it.each([
    ['Basic realm="endpoint e2"', [basicForE1]],
    ['Basic', [basicForE1]],
    ['basic REALM=x', [basicForE1]],
    ['Basic realm="a, Basic b", charset="UTF-8"', [basicForE1]],
    ['Basic realm="x\\", Bearer y=\\"z"', [basicForE1]],
    ['Basic realm="one", Basic realm="two"', [basicForE1]],
    [
      'Bearer realm="https://auth.example/token", scope="a b"',
      ['Bearer realm="https://auth.example/token", scope="a b"'],
    ],
    ['Bearer', ['Bearer']],
    ['Basic realm="x", Bearer error="e"', [basicForE1, 'Bearer error="e"']],
    ['Digest realm="endpoint e2", nonce="n", Basic realm="x"', [basicForE1]],
    ['Digest realm="endpoint e2", nonce="n"', []],
    ['Negotiate', []],
    ['NTLM TlRMTVNTUAAB==', []],
    ['Negotiate abc==, Basic realm="x"', [basicForE1]],
    ['realm="x"', []],
    ['"Basic"', []],
    ['Basic realm="endpoint e2', [basicForE1]],
    ['', []],
    [', ,', []],
  ])(
    'reduces the header %j to the challenges %j for visitors to endpoint e1',
    (value, expected) => {
      expect(confineChallenges(value, 'e1')).toEqual(expected);
    },
  );

  it('reduces a header that repeats one fragment 4,000 times to at most one challenge', () => {
    for (const part of ['"\\', 'a=', ',', 'Basic ', '"a",'])
      expect(confineChallenges(part.repeat(4_000), 'e1').length).toBeLessThan(2);
  });
});
