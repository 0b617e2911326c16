import { describe, expect, it } from '@jest/globals';
import { GetJwksResponse } from '@daycare/contracts/identity';
import { fetchKeys } from './fetch-keys';

const expiresAt = new Date(1_000);
const page = (ids: string[], rest: Partial<GetJwksResponse>): GetJwksResponse =>
  GetJwksResponse.create({
    jwksJson: '{"keys":[]}',
    revoked: ids.map((tokenId) => ({ tokenId, expiresAt })),
    ...rest,
  });

async function fetchAll(pages: Record<string, GetJwksResponse>) {
  const update = await fetchKeys('known', async (position) => pages[position]!);
  return { ...update, revoked: update.revoked.map(({ id }) => id) };
}

describe('fetchKeys', () => {
  it('fetches all pages of an update and combines them', async () => {
    const update = await fetchAll({
      known: page(['a', 'b'], { position: 'p2', more: true, maxTokenMs: 5, credentialIds: ['c'] }),
      p2: page(['c'], { position: 'p3', maxTokenMs: 5, credentialIds: ['c'] }),
    });
    expect(update).toEqual({
      jwks: { keys: [] },
      maxTokenMs: 5,
      credentialIds: ['c'],
      revoked: ['a', 'b', 'c'],
      isRestarted: false,
      position: 'p3',
    });
  });

  it('discards earlier pages when a later page begins a new, complete list', async () => {
    const update = await fetchAll({
      known: page(['a'], { position: 'p2', more: true }),
      p2: page(['x'], { position: 'q1', more: true, restarted: true }),
      q1: page(['y'], { position: 'q2' }),
    });
    expect(update).toMatchObject({ revoked: ['x', 'y'], isRestarted: true, position: 'q2' });
  });

  it('keeps the pages before a page that fails, unless they begin a list that replaces the known one', async () => {
    const failure = new Error('too slow');
    const fetchTwo = (rest: Partial<GetJwksResponse>) =>
      fetchKeys('known', async (position) => {
        if (position !== 'known') throw failure;
        return page(['a'], { position: 'p2', more: true, ...rest });
      });
    expect(await fetchTwo({})).toMatchObject({ revoked: [{ id: 'a' }], position: 'p2', failure });
    await expect(fetchTwo({ restarted: true })).rejects.toBe(failure);
  });

  it('leaves the token lifetime and the credential ids undefined if identity does not publish them', async () => {
    const update = await fetchAll({ known: page([], { position: 'p' }) });
    expect([update.maxTokenMs, update.credentialIds]).toEqual([undefined, undefined]);
  });
});
