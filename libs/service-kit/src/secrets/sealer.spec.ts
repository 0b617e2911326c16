import { describe, expect, it } from '@jest/globals';
import { Sealer } from './sealer';

const sealer = new Sealer('a key that is hard to guess', 'tests');

describe('Sealer', () => {
  it('seals a secret differently each time, without revealing it, and opens each sealed form', () => {
    const sealed = [sealer.seal('hush', 'box'), sealer.seal('hush', 'box')];
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const text of sealed) {
      expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('hush');
      expect(sealer.open(text, 'box')).toBe('hush');
    }
  });

  it.each([
    ['with another key', new Sealer('another key, hard to guess', 'tests'), 'box'],
    ['for another purpose', new Sealer('a key that is hard to guess', 'else'), 'box'],
    ['for another owner', sealer, 'bag'],
  ])('a sealed secret cannot be opened %s', (_, opener, boundTo) => {
    const sealed = sealer.seal('hush', 'box');
    expect(() => opener.open(sealed, boundTo)).toThrow();
  });

  it('a sealed secret that was changed or truncated cannot be opened', () => {
    const bytes = Buffer.from(sealer.seal('hush', 'box'), 'base64url');
    const opening = (sealed: Buffer) => () => sealer.open(sealed.toString('base64url'), 'box');
    for (let length = 0; length < bytes.length; length += 1)
      expect(opening(bytes.subarray(0, length))).toThrow();
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    expect(opening(bytes)).toThrow();
  });
});
