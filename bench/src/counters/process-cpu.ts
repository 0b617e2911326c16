import { readFileSync } from 'node:fs';
import type { NamedProcess } from '../kit/bench-stack';

/** The kernel counts CPU time in hundredths of a second, whatever its own clock rate is. */
const usPerTick = 10_000;

/** Returns the CPU time in microseconds since each process was started, summed by name; empty without /proc. */
export function readCpuUs(processes: readonly NamedProcess[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, pid } of processes) {
    const us = readProcessUs(pid);
    if (us !== undefined) sums[name] = (sums[name] ?? 0) + us;
  }
  return sums;
}

function readProcessUs(pid: number): number | undefined {
  try {
    return parseCpuUs(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the user and system time of all threads, in microseconds, from the text of /proc/<pid>/stat. */
export function parseCpuUs(stat: string): number {
  // The second field is the program's name and may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * usPerTick;
}
