import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { KeyRing } from './key-ring';
import { keyUpdateOf, makeKey, now, verifierOf, type KeyPair } from './test-support/test-keys';

let first: KeyPair;
beforeAll(async () => {
  first = await makeKey('k1');
});

describe('KeyRing', () => {
  it('keeps using the last known keys and revocations while identity is down', async () => {
    let isDown = false;
    const failures: unknown[] = [];
    const ring = new KeyRing({
      fetch: async () => {
        if (isDown) throw new Error('down');
        return keyUpdateOf([first.publicJwk], ['t9']);
      },
      onFailure: (error) => void failures.push(error),
    });
    await ring.refresh();
    isDown = true;
    await ring.refresh();
    expect(failures).toHaveLength(1);
    expect(ring.knows('k1')).toBe(true);
    expect(ring.isRevoked('t9')).toBe(true);
  });

  it('retries the first fetch until it succeeds, without waiting for the next regular one', async () => {
    let attempts = 0;
    const ring = new KeyRing({
      fetch: async () => {
        attempts += 1;
        if (attempts < 7) throw new Error('identity is starting');
        return keyUpdateOf([first.publicJwk], []);
      },
      onFailure: () => undefined,
      refreshMs: 3_600_000,
    });
    await ring.start();
    expect(ring.freshAt).toBe(0);
    await ring.whenFresh;
    ring.stop();
    expect(attempts).toBe(7);
  });

  it('fetches whenever the clock reaches a multiple of the interval', async () => {
    jest.useFakeTimers({ now: 1_700_000_000_700 });
    try {
      const fetchedAt: number[] = [];
      const ring = new KeyRing({
        fetch: async () => {
          fetchedAt.push(Date.now());
          return keyUpdateOf([first.publicJwk], []);
        },
        onFailure: () => undefined,
      });
      await ring.start();
      await jest.advanceTimersByTimeAsync(6_000);
      ring.stop();
      await jest.advanceTimersByTimeAsync(6_000);
      expect(fetchedAt.map((ms) => ms - 1_700_000_000_000)).toEqual([700, 2_000, 4_000, 6_000]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps its imported keys until different ones are published', async () => {
    const keys = [first.publicJwk];
    const ring = new KeyRing({
      fetch: async () => keyUpdateOf([...keys], []),
      onFailure: () => undefined,
    });
    await ring.refresh();
    const { resolver } = ring;
    await ring.refresh();
    expect(ring.resolver).toBe(resolver);
    keys.push((await makeKey('k2')).publicJwk);
    await ring.refresh();
    expect(ring.resolver).not.toBe(resolver);
  });

  it('requests only the revocations that it does not have yet, and adds them to the known ones', async () => {
    const requestedPositions: string[] = [];
    const ring = new KeyRing({
      fetch: async (position) => {
        requestedPositions.push(position);
        const isFirst = position === '';
        const revoked = isFirst ? ['t1'] : ['t2'];
        const progress = { isRestarted: isFirst, position: isFirst ? 'p1' : 'p2' };
        return keyUpdateOf([first.publicJwk], revoked, progress);
      },
      onFailure: () => undefined,
    });
    await ring.refresh();
    await ring.refresh();
    expect(requestedPositions).toEqual(['', 'p1']);
    expect(['t1', 't2', 't3'].map((id) => ring.isRevoked(id))).toEqual([true, true, false]);
  });

  it('applies an incomplete update and reports its failure, but does not become fresh', async () => {
    const failures: unknown[] = [];
    const failure = new Error('too slow');
    const ring = new KeyRing({
      fetch: async () => keyUpdateOf([first.publicJwk], ['t1'], { failure }),
      onFailure: (error) => failures.push(error),
    });
    await ring.refresh();
    expect(ring.isRevoked('t1')).toBe(true);
    expect(failures).toEqual([failure]);
    expect(ring.freshAt).toBe(0);
  });

  it('discards all known revocations when it receives the complete list again', async () => {
    let revoked = ['t1'];
    const { ring } = await verifierOf(() => keyUpdateOf([first.publicJwk], revoked));
    revoked = ['t2'];
    await ring.refresh();
    expect(['t1', 't2'].map((id) => ring.isRevoked(id))).toEqual([false, true]);
  });

  it('drops a revocation only some minutes after the last affected token has expired', async () => {
    let nowMs = now.getTime();
    const ring = new KeyRing({
      fetch: async (position) => {
        const revoked = [{ id: `t${nowMs}`, expiresAtMs: nowMs, issuedBeforeMs: undefined }];
        return keyUpdateOf([], [], { revoked, isRestarted: position === '', position: 'p' });
      },
      onFailure: () => undefined,
      now: () => nowMs,
    });
    await ring.refresh();
    const id = `t${nowMs}`;
    nowMs += 4 * 60_000;
    await ring.refresh();
    expect(ring.isRevoked(id)).toBe(true);
    nowMs += 4 * 60_000;
    await ring.refresh();
    expect(ring.isRevoked(id)).toBe(false);
  });
});
