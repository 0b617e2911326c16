import { describe, expect, it } from '@jest/globals';
import { Alarm } from './alarm';

describe('Alarm', () => {
  it('cuts a sleep short', async () => {
    const alarm = new Alarm();
    const slept = alarm.sleep(60_000);
    alarm.ring();
    await slept;
  });

  it('remembers one ring for the next sleep, and only for that', async () => {
    const alarm = new Alarm();
    alarm.ring();
    alarm.ring();
    await alarm.sleep(60_000);
    const startedMs = performance.now();
    await alarm.sleep(20);
    expect(performance.now() - startedMs).toBeGreaterThan(15);
  });
});
