import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { makeCallPeer } from './call-peer';

const credential = {
  metadata: (callee: string, subject?: { readonly userId: string }) => () => ({
    callee,
    ...subject,
  }),
};
const callPeer = makeCallPeer(credential, 'identity');

describe('makeCallPeer', () => {
  it('calls the peer as the service itself or on behalf of a subject', async () => {
    const metadataOf = (subject?: { userId: string }) =>
      callPeer(async ({ metadataFor }) => metadataFor('/any'), subject);
    expect(await metadataOf()).toEqual({ callee: 'identity' });
    expect(await metadataOf({ userId: 'ada' })).toEqual({ callee: 'identity', userId: 'ada' });
  });

  it.each(['UNAUTHENTICATED', 'PERMISSION_DENIED'] as const)(
    'throws UNAVAILABLE when the peer responds with %s',
    async (code) => {
      const call = callPeer(async () => Promise.reject(new AppError(code, 'refused')));
      await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    },
  );

  it('throws every other error of the peer unchanged', async () => {
    const error = new AppError('NOT_FOUND', 'no such user');
    await expect(callPeer(async () => Promise.reject(error))).rejects.toBe(error);
  });
});
