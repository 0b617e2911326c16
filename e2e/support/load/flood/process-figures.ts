import { readFileSync } from 'node:fs';

/** The kernel counts CPU time in hundredths of a second, whatever its own clock rate is. */
const ticksPerSecond = 100;

/** The CPU time that a process has used so far, in seconds, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name and may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The resident memory of a process, in MiB. */
export function residentMiBOf(pid: number): number {
  const [, kB = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kB) / 1024);
}
