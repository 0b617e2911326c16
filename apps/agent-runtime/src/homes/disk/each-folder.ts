import { using, type Pin } from './pin';

export interface FolderVisitor {
  /**
   * Visits a folder and returns the names of the subfolders to continue with; undefined stops the
   * walk.
   */
  readonly visit: (folder: Pin) => Promise<Buffer[] | undefined>;
  /** Called once everything in the folder with this name has been visited. */
  readonly onVisited?: (parent: Pin, name: Buffer) => Promise<void>;
}

interface Level {
  readonly name: Buffer;
  readonly folder: Pin;
  /** The subfolders still to be visited. */
  readonly unvisited: Buffer[];
  /** Whether `folder` is held open. */
  readonly isHeld: boolean;
}

const maxHeld = 64;

/**
 * Visits a folder and all folders below it, at any depth, without following links. Only the upper levels and the
 * current one are held open. To go back up from deeper ones, the walk follows `..`, provided that this still leads to
 * the folder it came from. A folder that a program moves during the walk may be missed.
 */
export async function eachFolder(top: Pin, visitor: FolderVisitor): Promise<void> {
  const levels: Level[] = [];
  const topFolders = await visitor.visit(top);
  if (topFolders)
    levels.push({ name: Buffer.of(), folder: top, unvisited: topFolders, isHeld: true });
  try {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const name = level.unvisited.pop();
      if (name === undefined) await goUp(levels, visitor);
      else if (!(await goDown(levels, level, name, visitor))) return;
    }
  } finally {
    await Promise.all(levels.slice(1).map(release));
  }
}

/** Returns false when the visitor stops the walk. */
async function goDown(
  levels: Level[],
  from: Level,
  name: Buffer,
  { visit }: FolderVisitor,
): Promise<boolean> {
  const folder = await from.folder.enter(name);
  if (!folder) return true;
  const subfolders = folder.isFolder ? await closeOnError(folder, visit) : [];
  if (levels.length > maxHeld) {
    levels[levels.length - 1] = { ...from, isHeld: false };
    await from.folder.close();
  }
  levels.push({ name, folder, unvisited: subfolders ?? [], isHeld: true });
  return subfolders !== undefined;
}

async function goUp(levels: Level[], { onVisited }: FolderVisitor): Promise<void> {
  const visited = levels.pop();
  const above = levels.at(-1);
  if (!visited || !above) return;
  const level = await using(visited.folder, () => reopenParent(visited, above));
  if (level) {
    levels[levels.length - 1] = level;
    await onVisited?.(level.folder, visited.name);
  } else levels.splice(levels.findIndex(({ isHeld }) => !isHeld));
}

/** Reopens the parent folder unless it is held open; returns undefined when `..` no longer leads to it. */
async function reopenParent({ folder: from }: Level, above: Level): Promise<Level | undefined> {
  if (above.isHeld) return above;
  const folder = await from.enter('..');
  if (!folder) return undefined;
  if (isSame(folder, above.folder)) return { ...above, folder, isHeld: true };
  await folder.close();
  return undefined;
}

function isSame({ stats: one }: Pin, { stats: other }: Pin): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

async function closeOnError<T>(folder: Pin, use: (folder: Pin) => Promise<T>): Promise<T> {
  try {
    return await use(folder);
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function release({ folder, isHeld }: Level): Promise<void> {
  if (isHeld) await folder.close();
}
