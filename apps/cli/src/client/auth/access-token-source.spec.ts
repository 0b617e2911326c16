import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withContext, type Tokens } from '../contexts/context';
import { ContextStore } from '../contexts/context-store';
import { claimsOf, expiryOf } from './token-claims';
import { AccessTokenSource } from './access-token-source';

const minuteMs = 60_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const jwt = (claims: object): string =>
  `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

describe('AccessTokenSource', () => {
  let folder: string;
  let store: ContextStore;
  let refreshed: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-tokens-'));
    store = new ContextStore(join(folder, 'config.yaml'));
    refreshed = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const sourceOf = async (tokens?: Tokens): Promise<AccessTokenSource> => {
    const chosen = { name: 'work', context: tokens ? { tokens } : {} };
    await store.update((before) => withContext(before, chosen));
    return new AccessTokenSource({
      store,
      chosen,
      refresh: async (refreshToken) => {
        refreshed.push(refreshToken);
        return {
          accessToken: 'next',
          accessExpiresAt: new Date(Date.now() + 15 * minuteMs),
          refreshToken: `${refreshToken}+`,
        };
      },
    });
  };

  it('uses a token that is not about to expire', async () => {
    const source = await sourceOf({ access: 'now', accessExpiresAt: inMs(minuteMs), refresh: 'r' });
    expect([await source.access(), refreshed]).toEqual(['now', []]);
  });

  it('renews an expiring token once and stores the new pair', async () => {
    const tokens = { access: 'old', accessExpiresAt: inMs(10_000), refresh: 'r' };
    const sources = [await sourceOf(tokens), await sourceOf(tokens)];
    await expect(Promise.all(sources.map((source) => source.access()))).resolves.toEqual([
      'next',
      'next',
    ]);
    expect(refreshed).toEqual(['r']);
    expect((await store.read()).contexts['work']?.tokens).toMatchObject({
      access: 'next',
      refresh: 'r+',
    });
  });

  it('reads the expiry from the token itself', async () => {
    const access = jwt({ sub: 'u1', exp: Math.floor(Date.now() / 1_000) - 1 });
    expect(await (await sourceOf({ access, refresh: 'r' })).access()).toBe('next');
    expect(claimsOf(access).sub).toBe('u1');
    expect(expiryOf('opaque')).toBe(Infinity);
  });

  it.each([
    ['without tokens', undefined, 'You are not signed in (context "work").'],
    [
      'with an expired token and no refresh token',
      { access: 'old', accessExpiresAt: new Date(0).toISOString() },
      'The token has expired (context "work").',
    ],
  ] as const)('says how to sign in %s', async (_, tokens, message) => {
    const source = await sourceOf(tokens);
    await expect(source.access()).rejects.toMatchObject({
      exitCode: 4,
      message,
      hint: 'Sign in with "daycare login".',
    });
  });
});
