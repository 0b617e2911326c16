import { describe, expect, it } from '@jest/globals';
import type { TokenPair } from '@daycare/contracts/identity';
import { DaycareError } from '../transport/daycare-error';
import { TokenSource } from './token-source';

const tokenThatExpires = (atMs: number): string =>
  `a.${Buffer.from(JSON.stringify({ exp: atMs / 1_000 })).toString('base64url')}.b`;
const pairOf = (accessToken: string): TokenPair => ({ accessToken, refreshToken: 'r2' });

describe('TokenSource', () => {
  it('renews a token before it expires, once for all calls', async () => {
    const used: string[] = [];
    const stored: object[] = [];
    const source = new TokenSource({
      token: { access: tokenThatExpires(10_000), refresh: 'r1' },
      refresh: async (refresh) => {
        used.push(refresh);
        return pairOf('fresh');
      },
      onTokens: (tokens) => stored.push(tokens),
      now: () => 0,
    });
    expect(await Promise.all([source.authorization(), source.authorization()])).toEqual([
      'Bearer fresh',
      'Bearer fresh',
    ]);
    expect([used, stored]).toEqual([['r1'], [{ access: 'fresh', refresh: 'r2' }]]);
  });

  it('renews a refused token unless another call has done so', async () => {
    let renewals = 0;
    const refresh = async () => pairOf(`fresh${(renewals += 1)}`);
    const source = new TokenSource({ token: { access: 'old', refresh: 'r1' }, refresh });
    expect(await source.renewAfterRefusal('Bearer old')).toBe(true);
    expect(await source.renewAfterRefusal('Bearer old')).toBe(true);
    expect(renewals).toBe(1);
    expect(await source.authorization()).toBe('Bearer fresh1');
  });

  it('gives up on a token that cannot be renewed', async () => {
    const refuse = async () => {
      throw new DaycareError({ code: 'UNAUTHENTICATED', message: 'No', details: {} });
    };
    const fixed = new TokenSource({ token: 'pat', refresh: refuse });
    expect(await fixed.renewAfterRefusal('Bearer pat')).toBe(false);
    const ended = new TokenSource({ token: { access: 'old', refresh: 'r1' }, refresh: refuse });
    expect(await ended.renewAfterRefusal('Bearer old')).toBe(false);
  });

  it('uses a token that is still valid when it cannot be renewed', async () => {
    let now = 0;
    const refresh = async () => {
      throw new DaycareError({ code: 'UNAVAILABLE', message: 'No', details: {} });
    };
    const access = tokenThatExpires(10_000);
    const source = new TokenSource({ token: { access, refresh: 'r1' }, refresh, now: () => now });
    expect(await source.authorization()).toBe(`Bearer ${access}`);
    now = 10_001;
    await expect(source.authorization()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('calls without a token have no authorization', async () => {
    const source = new TokenSource({ token: undefined, refresh: async () => undefined });
    expect(await source.authorization()).toBeUndefined();
  });
});
