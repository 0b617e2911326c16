import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@daycare/api';
import { DaycareError } from '@daycare/client';
import type { Authority } from '@daycare/client/kit';
import { withContext, type Tokens } from '../contexts/context';
import { ContextStore } from '../contexts/context-store';
import { contextAuthority } from './context-tokens';

const minuteMs = 60_000;
/** Returns an access token that expires in `ms` milliseconds. */
const expiringIn = (ms: number): string => {
  const exp = Math.floor((Date.now() + ms) / 1_000);
  return `h.${Buffer.from(JSON.stringify({ sub: 'u1', exp })).toString('base64url')}.s`;
};

describe('contextAuthority', () => {
  let folder: string;
  let store: ContextStore;
  let refreshed: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-tokens-'));
    store = new ContextStore(join(folder, 'config.yaml'));
    refreshed = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const newAuthority = async (tokens?: Tokens): Promise<Authority> => {
    const chosen = { name: 'work', context: tokens ? { tokens } : {} };
    await store.update((before) => withContext(before, chosen));
    return contextAuthority({
      store,
      chosen,
      renew: async (refreshToken) => {
        refreshed.push(refreshToken);
        if (refreshToken === 'revoked')
          throw new DaycareError(new AppError('UNAUTHENTICATED', 'no'));
        return {
          accessToken: 'next',
          accessExpiresAt: new Date(Date.now() + 15 * minuteMs),
          refreshToken: `${refreshToken}+`,
        };
      },
    });
  };

  it('uses the stored token while it is not about to expire', async () => {
    const access = expiringIn(minuteMs);
    const authority = await newAuthority({ access, refresh: 'r' });
    expect([await authority.authorization(), refreshed]).toEqual([`Bearer ${access}`, []]);
  });

  it('renews an expiring token only once for two concurrent commands, and stores the new tokens', async () => {
    const tokens = { access: expiringIn(10_000), refresh: 'r' };
    const authorities = [await newAuthority(tokens), await newAuthority(tokens)];
    await expect(
      Promise.all(authorities.map((authority) => authority.authorization())),
    ).resolves.toEqual(['Bearer next', 'Bearer next']);
    expect(refreshed).toEqual(['r']);
    expect((await store.read()).contexts['work']?.tokens).toMatchObject({
      access: 'next',
      refresh: 'r+',
    });
  });

  it.each([
    ['without tokens', undefined, 'You are not signed in (context "work").'],
    [
      'when the refresh token is rejected',
      { access: expiringIn(-1), refresh: 'revoked' },
      'Your sign-in has expired (context "work").',
    ],
    [
      'with an expired token and no refresh token',
      { access: 'old', accessExpiresAt: new Date(0).toISOString() },
      'The token has expired (context "work").',
    ],
  ] as const)('fails %s and says how to sign in', async (_, tokens, message) => {
    const authority = await newAuthority(tokens);
    await expect(authority.authorization()).rejects.toMatchObject({
      exitCode: 4,
      message,
      hint: 'Sign in with "daycare login".',
    });
  });
});
