import { AppError } from '@daycare/errors';
import { bytesCounted } from '../domain/home-quota';
import { entriesOf, unlock, type Entry } from './entries';
import { using, type Pin } from './pin';

const mostDepth = 256;

/** What is in a folder, by walking; links count but are not followed. Refused when it goes too deep to tell. */
export async function measureTree(folder: Pin, depth = 0): Promise<number> {
  if (depth > mostDepth)
    throw new AppError('FAILED_PRECONDITION', `Folders are more than ${mostDepth} deep`);
  await unlock(folder);
  let bytes = 0;
  for await (const entry of entriesOf(folder)) bytes += await measureEntry(folder, entry, depth);
  return bytes;
}

async function measureEntry(parent: Pin, { name, stats }: Entry, depth: number): Promise<number> {
  if (!stats.isDirectory()) return bytesCounted(stats.size);
  const folder = await parent.enter(name);
  if (!folder) return 0;
  return using(folder, async ({ isFolder }) =>
    isFolder ? bytesCounted(0) + (await measureTree(folder, depth + 1)) : bytesCounted(0),
  );
}
