import { describe, expect, it } from '@jest/globals';
import { Wakeup } from './wakeup';

describe('Wakeup', () => {
  it('cuts a sleep short when signalled', async () => {
    const wakeup = new Wakeup();
    const slept = wakeup.sleep(60_000);
    wakeup.signal();
    await slept;
  });

  it('cuts only the next sleep short, however many signals arrived while nothing was sleeping', async () => {
    const wakeup = new Wakeup();
    wakeup.signal();
    wakeup.signal();
    await wakeup.sleep(60_000);
    const startedMs = performance.now();
    await wakeup.sleep(20);
    expect(performance.now() - startedMs).toBeGreaterThan(15);
  });
});
