import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairSlots } from './fair-slots';

/** Lets everything that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Who was served, in order, with what is given back one after the other. */
async function serve(slots: FairSlots, wanted: readonly string[]): Promise<string[]> {
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

describe('slots', () => {
  it('go round between users, however much one of them wants', async () => {
    const served = await serve(new FairSlots(1, 1), ['a', 'a', 'a', 'a', 'b', 'c', 'b']);
    expect(served).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('are left free rather than all given to one user', async () => {
    const slots = new FairSlots(4, 2);
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

  it('are all given in the end, never more at once than there are', async () => {
    const users = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
    const limits = fc.record({
      all: fc.integer({ min: 1, max: 5 }),
      each: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(users, limits, async (wanted, { all, each }) => {
        const slots = new FairSlots(all, each);
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
