import { describe, expect, it } from '@jest/globals';
import { AppError, errorCodes } from '@daycare/api';
import { isDaycareError } from './exports';
import { connectTo } from './test-support/serve';

const page = { pageSize: 0, pageToken: '' };

describe('errors', () => {
  it.each(errorCodes.map((code) => [code] as const))(
    'a call that fails with %s throws a DaycareError with that reason',
    async (code) => {
      const { rpc } = await connectTo({
        identity: {
          createSignInCode: () => {
            throw new AppError(code, 'Not so', { metadata: { until: 'noon' } });
          },
        },
      });
      const failed: unknown = await rpc.identity
        .createSignInCode({ userId: '' })
        .catch((error: unknown) => error);
      expect(isDaycareError(failed, code)).toBe(true);
      expect(failed).toMatchObject({ message: 'Not so', metadata: { until: 'noon' } });
    },
  );

  it('an error names the invalid fields and the time to wait', async () => {
    const details = { fields: [{ field: 'name', description: 'is required' }], retryAfterMs: 250 };
    const { subusers } = await connectTo({
      identity: {
        createSubuser: () => {
          throw new AppError('INVALID_ARGUMENT', 'The name is required', details);
        },
      },
    });
    await expect(subusers.create({ name: '' })).rejects.toMatchObject({
      reason: 'INVALID_ARGUMENT',
      ...details,
    });
  });
});

describe('tokens', () => {
  it('an expired token is renewed once for all concurrent calls, and none of them fails', async () => {
    const tokens = { accessToken: 'fresh', refreshToken: 'r2' };
    const refreshed: string[] = [];
    const stored: object[] = [];
    const { rpc } = await connectTo(
      {
        identity: {
          listSubusers: (_, metadata) => {
            if (metadata.get('authorization')[0] !== 'Bearer fresh')
              throw new AppError('UNAUTHENTICATED', 'The token has expired');
            return { subusers: [], nextPageToken: '' };
          },
          refreshToken: ({ refreshToken }) => (refreshed.push(refreshToken), { tokens }),
        },
      },
      { token: { access: 'expired', refresh: 'r1' }, onTokens: (pair) => stored.push(pair) },
    );
    const calls = Array.from({ length: 10 }, () => rpc.identity.listSubusers(page));
    expect(await Promise.all(calls)).toHaveLength(10);
    expect([refreshed, stored]).toEqual([['r1'], [{ access: 'fresh', refresh: 'r2' }]]);
  });

  it('a function given as the token provides a token for each call', async () => {
    const seen: unknown[] = [];
    let calls = 0;
    const { rpc } = await connectTo(
      {
        identity: {
          listSubusers: (_, metadata) => {
            seen.push(metadata.get('authorization')[0]);
            return { subusers: [], nextPageToken: '' };
          },
        },
      },
      { token: async () => `token ${(calls += 1)}` },
    );
    await rpc.identity.listSubusers(page);
    await rpc.identity.listSubusers(page);
    expect(seen).toEqual(['Bearer token 1', 'Bearer token 2']);
  });
});
