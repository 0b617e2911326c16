import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const sharedMemory = '/dev/shm';
const enoughBytes = 8 * 1024 ** 3;

/**
 * Where the servers of a test run store their data: in memory where there is plenty, since tests kill processes
 * but never the machine, and need not wait for a disk.
 */
export function scratchRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return bavail * bsize >= enoughBytes ? sharedMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}
