import { existsSync } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotStart, reasonOf } from '../process/cannot-start';

/** The disk space a stack needs to start. */
export const neededBytes = 512 * 1024 * 1024;

/** Returns how many bytes can still be written below a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

export const readFreeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Creates the folder and throws unless it is writable and has enough space for the servers. */
export async function checkDataDir(dataDir: string, freeBytes = readFreeBytes): Promise<void> {
  await checkWritable(dataDir);
  const free = await freeBytes(dataDir);
  if (free >= neededBytes) return;
  throw cannotStart(
    `Only ${toMiB(free)} MiB are free on the disk of ${dataDir}, but MongoDB and NATS need ${toMiB(neededBytes)} MiB; ` +
      `free some space or choose another folder with --data-dir.`,
  );
}

/** Throws if the data was stored with `--cluster` and the stack is now started without it, or vice versa. */
export function checkLayout(dataDir: string, cluster: boolean): void {
  if (!existsSync(join(dataDir, cluster ? 'mongo/db' : 'mongo-router'))) return;
  const how = cluster ? 'without --cluster' : 'with --cluster';
  throw cannotStart(
    `The data in ${dataDir} was stored ${how}; start ${how}, or choose another folder with --data-dir.`,
  );
}

async function checkWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, `.probe.${process.pid}`);
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(probe, 'x');
    await rm(probe, { force: true });
  } catch (error) {
    throw cannotStart(
      `The data folder ${dataDir} is not writable (${reasonOf(error)}); make it writable or choose another with --data-dir.`,
      error,
    );
  }
}

function toMiB(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
