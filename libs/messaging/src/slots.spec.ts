import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots';

describe('Slots', () => {
  it('never has more under way than the limit, and serves in order', async () => {
    const slots = new Slots(3);
    const order: number[] = [];
    let underWay = 0;
    const work = async (index: number, count: number): Promise<void> => {
      await slots.acquire(count);
      underWay += count;
      expect(underWay).toBeLessThanOrEqual(3);
      order.push(index);
      await Promise.resolve();
      underWay -= count;
      slots.release(count);
    };
    await Promise.all([1, 3, 1, 2, 2, 1].map((count, index) => work(index, count)));
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('tells when nothing is under way', async () => {
    const slots = new Slots(2);
    await slots.acquire();
    let isIdle = false;
    const idle = slots.idle().then(() => (isIdle = true));
    await Promise.resolve();
    expect(isIdle).toBe(false);
    slots.release();
    await idle;
    await slots.acquire(2);
  });
});
