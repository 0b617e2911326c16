import { describe, expect, it } from '@jest/globals';
import { DaycareError } from '../transport/daycare-error';
import { inMemoryStore, TokenSource, type Tokens, type TokenStore } from './token-source';

const tokenThatExpires = (atMs: number): string =>
  `a.${Buffer.from(JSON.stringify({ exp: atMs / 1_000 })).toString('base64url')}.b`;
const pairOf = (access: string): Tokens => ({ access, refresh: 'r2' });

describe('TokenSource', () => {
  it('renews a token before it expires, once for all concurrent calls', async () => {
    const usedSecrets: string[] = [];
    const stored: object[] = [];
    const source = new TokenSource({
      store: inMemoryStore({ access: tokenThatExpires(10_000), refresh: 'r1' }, (tokens) =>
        stored.push(tokens),
      ),
      renew: async (refresh) => {
        usedSecrets.push(refresh);
        return pairOf('fresh');
      },
      now: () => 0,
    });
    expect(await Promise.all([source.authorization(), source.authorization()])).toEqual([
      'Bearer fresh',
      'Bearer fresh',
    ]);
    expect([usedSecrets, stored]).toEqual([['r1'], [{ access: 'fresh', refresh: 'r2' }]]);
  });

  it('renews a refused token unless another call has already done so', async () => {
    let renewals = 0;
    const renew = async () => pairOf(`fresh${(renewals += 1)}`);
    const store = inMemoryStore({ access: 'old', refresh: 'r1' });
    const source = new TokenSource({ store, renew });
    expect(await source.renewAfterRefusal('Bearer old')).toBe(true);
    expect(await source.renewAfterRefusal('Bearer old')).toBe(true);
    expect(renewals).toBe(1);
    expect(await source.authorization()).toBe('Bearer fresh1');
  });

  it('gives up on a refused token that cannot be renewed', async () => {
    const renew = async () => {
      throw new DaycareError({ code: 'UNAUTHENTICATED', message: 'No', details: {} });
    };
    const fixed = new TokenSource({ store: inMemoryStore({ access: 'pat' }), renew });
    expect(await fixed.renewAfterRefusal('Bearer pat')).toBe(false);
    const store = inMemoryStore({ access: 'old', refresh: 'r1' });
    const refused = new TokenSource({ store, renew });
    expect(await refused.renewAfterRefusal('Bearer old')).toBe(false);
  });

  it('uses a token for as long as it is valid, even if it cannot be renewed', async () => {
    let now = 0;
    const renew = async () => {
      throw new DaycareError({ code: 'UNAVAILABLE', message: 'No', details: {} });
    };
    const access = tokenThatExpires(10_000);
    const source = new TokenSource({
      store: inMemoryStore({ access, refresh: 'r1' }),
      renew,
      now: () => now,
    });
    expect(await source.authorization()).toBe(`Bearer ${access}`);
    now = 10_001;
    await expect(source.authorization()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('exchanges a secret for the first token, and uses tokens that another process has renewed', async () => {
    const usedSecrets: string[] = [];
    let stored: Tokens | undefined = { access: '', refresh: 'secret' };
    const store: TokenStore = {
      initial: stored,
      update: async (change) => (stored = await change(stored)),
    };
    const renew = async (secret: string) => {
      usedSecrets.push(secret);
      return { access: 'first', refresh: secret };
    };
    const source = new TokenSource({ store, renew });
    expect(await source.authorization()).toBe('Bearer first');
    stored = { access: 'of another', refresh: 'secret' };
    expect(await source.renewAfterRefusal('Bearer first')).toBe(true);
    expect(await source.authorization()).toBe('Bearer of another');
    expect(usedSecrets).toEqual(['secret']);
  });

  it('provides no authorization when there is no token', async () => {
    const source = new TokenSource({ store: inMemoryStore(), renew: async () => undefined });
    expect(await source.authorization()).toBeUndefined();
  });
});
