import { describe, expect, it } from '@jest/globals';
import { LaneChains } from './lane-chains';

describe('LaneChains', () => {
  it('runs a lane one at a time in order while other lanes go on', async () => {
    const chains = new LaneChains();
    const log: string[] = [];
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => (openGate = resolve));
    const first = chains.run('a', async () => {
      await gate;
      log.push('a1');
    });
    const second = chains.run('a', async () => void log.push('a2'));
    await chains.run('b', async () => void log.push('b1'));
    openGate();
    await Promise.all([first, second]);
    expect(log).toEqual(['b1', 'a1', 'a2']);
  });

  it('goes on behind a task that failed', async () => {
    const chains = new LaneChains();
    const failing = chains.run('a', () => Promise.reject(new Error('failed')));
    const next = chains.run('a', () => Promise.resolve());
    await expect(failing).rejects.toThrow('failed');
    await next;
  });
});
