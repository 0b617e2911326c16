import { describe, expect, it } from '@jest/globals';
import { parseCpuUs, readCpuUs } from './process-cpu';

describe('process CPU time', () => {
  it('CPU time is user plus system time, whatever the program is called', () => {
    const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 9 0 0 0 150 25 0 0 20 0 11 0 3000 1 1';
    expect(parseCpuUs(stat)).toBe(1_750_000);
  });

  it('CPU time is summed over processes with the same name; processes that do not exist are left out', () => {
    const own = { name: 'bench', pid: process.pid };
    const [once, twice] = [readCpuUs([own]), readCpuUs([own, own, { name: 'gone', pid: -1 }])];
    expect(twice['bench']).toBeGreaterThanOrEqual(2 * once['bench']!);
    expect(twice).not.toHaveProperty('gone');
  });
});
