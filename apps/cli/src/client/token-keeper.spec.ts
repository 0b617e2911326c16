import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withContext, type Tokens } from './context';
import { ContextStore } from './context-store';
import { claimsOf, expiryOf } from './token-claims';
import { TokenKeeper } from './token-keeper';

const minuteMs = 60_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const jwt = (claims: object): string =>
  `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

describe('a token keeper', () => {
  let folder: string;
  let store: ContextStore;
  let exchanged: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-tokens-'));
    store = new ContextStore(join(folder, 'config.yaml'));
    exchanged = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const keeperOf = async (tokens?: Tokens): Promise<TokenKeeper> => {
    const chosen = { name: 'work', context: tokens ? { tokens } : {} };
    await store.update((before) => withContext(before, chosen));
    return new TokenKeeper({
      store,
      chosen,
      refresh: async (refreshToken) => {
        exchanged.push(refreshToken);
        return {
          accessToken: 'next',
          accessExpiresAt: new Date(Date.now() + 15 * minuteMs),
          refreshToken: `${refreshToken}+`,
        };
      },
    });
  };

  it('uses a token that has time left', async () => {
    const keeper = await keeperOf({ access: 'now', accessExpiresAt: inMs(minuteMs), refresh: 'r' });
    expect([await keeper.access(), exchanged]).toEqual(['now', []]);
  });

  it('exchanges one that is about to expire, once, and keeps the next pair', async () => {
    const tokens = { access: 'old', accessExpiresAt: inMs(10_000), refresh: 'r' };
    const keepers = [await keeperOf(tokens), await keeperOf(tokens)];
    await expect(Promise.all(keepers.map((keeper) => keeper.access()))).resolves.toEqual([
      'next',
      'next',
    ]);
    expect(exchanged).toEqual(['r']);
    expect((await store.read()).contexts['work']?.tokens).toMatchObject({
      access: 'next',
      refresh: 'r+',
    });
  });

  it('reads from the token itself when it expires', async () => {
    const access = jwt({ sub: 'u1', exp: Math.floor(Date.now() / 1_000) - 1 });
    expect(await (await keeperOf({ access, refresh: 'r' })).access()).toBe('next');
    expect(claimsOf(access).sub).toBe('u1');
    expect(expiryOf('opaque')).toBe(Infinity);
  });

  it.each([
    ['without tokens', undefined, 'You are not signed in (context "work").'],
    [
      'with one that nothing can be exchanged for',
      { access: 'old', accessExpiresAt: new Date(0).toISOString() },
      'The token has expired (context "work").',
    ],
  ] as const)('says how to sign in %s', async (_, tokens, message) => {
    const keeper = await keeperOf(tokens);
    await expect(keeper.access()).rejects.toMatchObject({
      exitCode: 4,
      message,
      hint: 'Sign in with "daycare login".',
    });
  });
});
