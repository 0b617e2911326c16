import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const sharedMemory = '/dev/shm';
const enoughBytes = 8 * 1024 ** 3;

/**
 * Returns where a test run's servers store their data: in memory where there is plenty, because tests kill processes
 * but never the machine, and should not have to wait for a disk.
 */
export function scratchRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return bavail * bsize >= enoughBytes ? sharedMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}
