import { describe, expect, it } from '@jest/globals';
import type { RpcClient, ServiceContract } from '@daycare/rpc';
import { ClientPool, type LentClient } from './client-pool';

function openPool() {
  const clock = { now: 0 };
  const open = () => ({ close: () => undefined }) as unknown as RpcClient<ServiceContract>;
  return { clock, pool: new ClientPool(open, () => clock.now) };
}

const lendMany = (pool: ClientPool, count: number): LentClient[] =>
  Array.from({ length: count }, () => pool.lend());

/** Makes and cancels calls one after another. */
function cancelMany(pool: ClientPool, total: number): void {
  for (let count = 0; count < total; count += 1) pool.lend().release(true);
}

describe('ClientPool', () => {
  it('opens another client when all clients have 500 calls in progress, up to a maximum of 32 clients', () => {
    const { pool } = openPool();
    const lent = lendMany(pool, 500);
    expect(pool.size).toBe(1);
    lendMany(pool, 1);
    expect(pool.size).toBe(2);
    for (const each of lent) each.release(false);
    lendMany(pool, 20_000);
    expect(pool.size).toBe(32);
  });

  it('lends the client with the fewest calls in progress', () => {
    const { pool } = openPool();
    const [first] = lendMany(pool, 501);
    expect(pool.lend().client).not.toBe(first!.client);
  });

  it('keeps using a client whose calls have all completed', () => {
    const { pool } = openPool();
    for (let count = 0; count < 5_000; count += 1) pool.lend().release(false);
    expect(pool.size).toBe(1);
  });

  it('spreads calls so that fewer than 1,000 calls, plus 33 for each second, are cancelled on any one client', () => {
    const { pool, clock } = openPool();
    const cancelled = new Map<unknown, number>();
    const cancel = (lent: LentClient): void => {
      cancelled.set(lent.client, (cancelled.get(lent.client) ?? 0) + 1);
      lent.release(true);
    };
    for (let second = 0; second < 10; second += 1) {
      clock.now = second * 1_000;
      const open = lendMany(pool, 400);
      for (let count = 0; count < 600; count += 1) cancel(pool.lend());
      open.forEach(cancel);
    }
    expect(Math.max(...cancelled.values())).toBeLessThan(1_000 + 33 * 9);
    expect(pool.size).toBeLessThan(32);
  });

  it('does not lend a client that has just had 400 calls cancelled, but lends it again a second later', () => {
    const { pool, clock } = openPool();
    const lent = pool.lend();
    lent.release(true);
    cancelMany(pool, 399);
    expect(pool.lend().client).not.toBe(lent.client);
    clock.now = 1_000;
    expect(pool.lend().client).toBe(lent.client);
  });
});
