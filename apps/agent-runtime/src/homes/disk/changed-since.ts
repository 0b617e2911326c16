import { isEntryName, parseHomePath } from '../domain/home-path';
import { eachFolder } from './each-folder';
import { entriesOf, unlock } from './entries';
import type { Pin } from './pin';

/** Selects entries that a program may have changed. */
export interface ChangeTest {
  /** Entries whose change time, by the file system's clock, is this or later are selected. */
  readonly sinceMs: number;
  /** The inodes of entries that are selected whatever their change times. */
  readonly inodes: ReadonlySet<number>;
}

/**
 * Returns the paths of files and links below a folder that were changed, created or moved since `sinceMs` or have one
 * of these inodes; for a file that no path can name, the path of its folder. A folder that a program moves during the
 * scan may be missed, so the caller must scan again once every program that ran during the scan has ended.
 */
export async function changedSince(
  top: Pin,
  topPath: string,
  { sinceMs, inodes }: ChangeTest,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  const paths = new Map([[keyOf(top), topPath]]);
  const visit = async (folder: Pin): Promise<Buffer[]> => {
    await unlock(folder);
    const path = paths.get(keyOf(folder)) ?? topPath;
    const subfolders: Buffer[] = [];
    for await (const { name, stats } of entriesOf(folder)) {
      const named = pathIn(path, name);
      if (stats.isDirectory()) {
        subfolders.push(name);
        paths.set(`${stats.dev}:${stats.ino}`, named ?? path);
      } else if (stats.ctimeMs >= sinceMs || inodes.has(stats.ino)) changed.add(named ?? path);
    }
    return subfolders;
  };
  await eachFolder(top, { visit });
  return changed;
}

function keyOf({ stats: { dev, ino } }: Pin): string {
  return `${dev}:${ino}`;
}

function pathIn(folder: string, name: Buffer): string | undefined {
  const text = name.toString('utf8');
  const path = `${folder}/${text}`;
  const isExact = Buffer.from(text, 'utf8').equals(name) && isEntryName(text);
  return isExact && 'segments' in parseHomePath(path) ? path : undefined;
}
