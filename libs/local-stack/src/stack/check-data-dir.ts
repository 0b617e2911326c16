import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotStart, reasonOf } from '../cannot-start';

/** What must be free before a stack starts. */
export const neededBytes = 512 * 1024 * 1024;

/** Asks the file system how many bytes we may still write below a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

export const readFreeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Makes the folder and throws a sentence unless it can be written and has room for the servers. */
export async function checkDataDir(dataDir: string, freeBytes = readFreeBytes): Promise<void> {
  await checkWritable(dataDir);
  const free = await freeBytes(dataDir);
  if (free >= neededBytes) return;
  throw cannotStart(
    `Only ${toMiB(free)} MiB are free where ${dataDir} lies and MongoDB and NATS need ${toMiB(neededBytes)} MiB; ` +
      `make room or choose another folder with --data-dir.`,
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
      `The data folder ${dataDir} cannot be written (${reasonOf(error)}); make it writable or choose another with --data-dir.`,
      error,
    );
  }
}

function toMiB(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
