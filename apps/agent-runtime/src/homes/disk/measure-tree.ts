import { bytesCounted, type HomeSize } from '../domain/home-size';
import { eachFolder } from './each-folder';
import { entriesOf, unlock } from './entries';
import type { Pin } from './pin';

/**
 * Measures what a folder contains by walking it; links count but are not followed. Stops and reports Infinity entries
 * once there are more than `maxEntries`.
 */
export async function measureTree(top: Pin, maxEntries: number): Promise<HomeSize> {
  let [bytes, entries] = [0, 0];
  const visit = async (folder: Pin): Promise<Buffer[] | undefined> => {
    await unlock(folder);
    const subfolders: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      if (++entries > maxEntries) return undefined;
      bytes += bytesCounted(stats.isDirectory() ? 0 : stats.size);
      if (stats.isDirectory()) subfolders.push(name);
    }
    return subfolders;
  };
  await eachFolder(top, { visit });
  return { bytes, entries: entries > maxEntries ? Infinity : entries };
}
