import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createId } from '@daycare/api/create-id';
import type { Pin } from './pin';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
/** The clock of a file system usually advances every 1 to 10 ms. */
const maxTickMs = 20;
const pollMs = 1;

/**
 * Returns a time in milliseconds that separates files written in this folder so far, whose change times are earlier,
 * from those written from now on, whose change times are the same or later. Where the file system's clock advances too
 * slowly, earlier files written in its last tick have this time too.
 */
export async function nextFileTimeIn(folder: Pin): Promise<number> {
  const startedMs = performance.now();
  const firstMs = await fileTimeIn(folder);
  let timeMs: number;
  do {
    await delay(pollMs);
    timeMs = await fileTimeIn(folder);
  } while (timeMs === firstMs && performance.now() - startedMs < maxTickMs);
  return timeMs;
}

async function fileTimeIn(folder: Pin): Promise<number> {
  const path = folder.at(createId());
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    return (await handle.stat()).ctimeMs;
  } finally {
    await handle.close();
    await unlink(path);
  }
}
