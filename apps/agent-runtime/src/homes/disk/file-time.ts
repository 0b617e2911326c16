import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { createId } from '@daycare/api/create-id';
import type { Pin } from './pin';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** The change time that a file written in this folder now gets, in milliseconds. */
export async function fileTimeIn(folder: Pin): Promise<number> {
  const path = folder.at(createId());
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    return (await handle.stat()).ctimeMs;
  } finally {
    await handle.close();
    await unlink(path);
  }
}
