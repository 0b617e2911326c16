import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairSemaphore } from './fair-semaphore';

/** Runs all pending microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns the order in which users are served when slots are released one by one. */
async function serve(slots: FairSemaphore, wanted: readonly string[]): Promise<string[]> {
  const served: string[] = [];
  const running: string[] = [];
  for (const user of wanted)
    void slots.acquire(user).then(() => {
      served.push(user);
      running.push(user);
    });
  await settle();
  for (let next = running.shift(); next !== undefined; next = running.shift()) {
    slots.release(next);
    await settle();
  }
  return served;
}

describe('FairSemaphore', () => {
  it('serves users in turn, however many slots one of them requests', async () => {
    const served = await serve(new FairSemaphore(1, 1), ['a', 'a', 'a', 'a', 'b', 'c', 'b']);
    expect(served).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('leaves slots free rather than giving all to one user', async () => {
    const slots = new FairSemaphore(4, 2);
    const served: string[] = [];
    for (const user of ['a', 'a', 'a', 'b']) void slots.acquire(user).then(() => served.push(user));
    await settle();
    expect(served).toEqual(['a', 'a', 'b']);
    slots.release('b');
    await settle();
    expect(served).toHaveLength(3);
    slots.release('a');
    await settle();
    expect(served).toEqual(['a', 'a', 'b', 'a']);
  });

  it('reserves free slots for a large request, so that small ones cannot overtake it forever', async () => {
    const slots = new FairSemaphore(4, 4);
    const served: string[] = [];
    const acquire = (user: string, count: number): void =>
      void slots.acquire(user, count).then(() => served.push(user));
    acquire('a', 3);
    acquire('b', 4);
    acquire('c', 1);
    await settle();
    expect(served).toEqual(['a']);
    slots.release('a', 3);
    await settle();
    expect(served).toEqual(['a', 'b']);
    slots.release('b', 4);
    await settle();
    expect(served).toEqual(['a', 'b', 'c']);
  });

  it('gives the slots of an aborted request to the next one', async () => {
    const slots = new FairSemaphore(2, 2);
    await slots.acquire('a', 2);
    const stop = new AbortController();
    const aborted = slots.acquireUnless(stop.signal, 'b', 2);
    const next = slots.acquire('c', 1);
    stop.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    slots.release('a', 2);
    await next;
    await slots.acquire('d', 1);
  });

  it('serves every request eventually, and never exceeds the total limit or the limit per user', async () => {
    const request = fc.record({
      user: fc.constantFrom('a', 'b', 'c', 'd'),
      count: fc.integer({ min: 1, max: 3 }),
    });
    const limits = fc.record({
      total: fc.integer({ min: 1, max: 5 }),
      perUser: fc.integer({ min: 1, max: 3 }),
    });
    const requests = fc.array(request, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(requests, limits, async (wanted, { total, perUser }) => {
        const slots = new FairSemaphore(total, perUser);
        const running: { user: string; count: number }[] = [];
        const slotsOf = (granted: typeof running) =>
          granted.reduce((sum, { count }) => sum + count, 0);
        let served = 0;
        for (const { user, count: asked } of wanted) {
          const count = Math.min(asked, total, perUser);
          void slots.acquire(user, count).then(() => {
            running.push({ user, count });
            served += 1;
          });
        }
        await settle();
        while (running.length > 0) {
          expect(slotsOf(running)).toBeLessThanOrEqual(total);
          for (const { user } of running)
            expect(slotsOf(running.filter((other) => other.user === user))).toBeLessThanOrEqual(
              perUser,
            );
          const { user, count } = running.shift()!;
          slots.release(user, count);
          await settle();
        }
        expect(served).toBe(wanted.length);
      }),
      { numRuns: 200 },
    );
  });
});
