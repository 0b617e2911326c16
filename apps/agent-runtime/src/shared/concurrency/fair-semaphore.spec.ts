import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairSemaphore } from './fair-semaphore';

/** Runs all pending microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The order in which users are served when slots are released one by one. */
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
  it('serves users in turn, however much one of them asks for', async () => {
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

  it('serves every request eventually, never exceeding the limit', async () => {
    const users = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
    const limits = fc.record({
      all: fc.integer({ min: 1, max: 5 }),
      each: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(users, limits, async (wanted, { all, each }) => {
        const slots = new FairSemaphore(all, each);
        const running: string[] = [];
        let served = 0;
        for (const user of wanted)
          void slots.acquire(user).then(() => {
            running.push(user);
            served += 1;
          });
        await settle();
        while (running.length > 0) {
          expect(running.length).toBeLessThanOrEqual(all);
          for (const user of new Set(running))
            expect(running.filter((one) => one === user).length).toBeLessThanOrEqual(each);
          slots.release(running.shift()!);
          await settle();
        }
        expect(served).toBe(wanted.length);
      }),
      { numRuns: 200 },
    );
  });
});
