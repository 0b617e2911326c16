import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore';

describe('Semaphore', () => {
  it('never exceeds its limit and serves waiters in order', async () => {
    const semaphore = new Semaphore(3);
    const order: number[] = [];
    let running = 0;
    const work = async (index: number, count: number): Promise<void> => {
      await semaphore.acquire(count);
      running += count;
      expect(running).toBeLessThanOrEqual(3);
      order.push(index);
      await Promise.resolve();
      running -= count;
      semaphore.release(count);
    };
    await Promise.all([1, 3, 1, 2, 2, 1].map((count, index) => work(index, count)));
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('resolves idle() as soon as every slot is released', async () => {
    const semaphore = new Semaphore(2);
    await semaphore.acquire();
    let isIdle = false;
    const idle = semaphore.idle().then(() => (isIdle = true));
    await Promise.resolve();
    expect(isIdle).toBe(false);
    semaphore.release();
    await idle;
    await semaphore.acquire(2);
  });
});
