import { cpus, type CpuInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

type CpuTimes = Pick<CpuInfo, 'times'>;

/** Measures the share of the machine that other programs use, from 0 to 1; call it while the bench is idle. */
export async function sampleBusyShare(sampleMs: number): Promise<number> {
  const before = cpus();
  await delay(sampleMs);
  return busyShareOf(before, cpus());
}

/** Returns the share of time that was not idle between two readings of all cores. */
export function busyShareOf(before: readonly CpuTimes[], after: readonly CpuTimes[]): number {
  const totalMs = sumTimes(after) - sumTimes(before);
  const idleMs = sumIdle(after) - sumIdle(before);
  return totalMs > 0 ? Math.max(0, 1 - idleMs / totalMs) : 0;
}

function sumTimes(cores: readonly CpuTimes[]): number {
  return cores.flatMap(({ times }) => Object.values(times)).reduce((sum, ms) => sum + ms, 0);
}

function sumIdle(cores: readonly CpuTimes[]): number {
  return cores.reduce((sum, { times }) => sum + times.idle, 0);
}
