import { using, type Pin } from './pin';

export interface FolderVisitor {
  /**
   * Visits a folder and returns the names of the subfolders to continue with; undefined stops the
   * walk.
   */
  readonly visit: (folder: Pin) => Promise<Buffer[] | undefined>;
  /** Called when everything in the folder of that name has been visited. */
  readonly leave?: (parent: Pin, name: Buffer) => Promise<void>;
}

interface Level {
  readonly name: Buffer;
  readonly folder: Pin;
  /** The subfolders still to be visited. */
  readonly inside: Buffer[];
  /** Whether `folder` is held open. */
  readonly isHeld: boolean;
}

const maxHeld = 64;

/**
 * Visits a folder and all folders below it, at any depth, without following links. Only the upper levels are held
 * open: to go up at deeper ones, the walk follows `..`, provided that it still leads to the folder it came from.
 * Folders that programs move in the meantime may be missed.
 */
export async function eachFolder(top: Pin, visitor: FolderVisitor): Promise<void> {
  const levels: Level[] = [];
  const inTop = await visitor.visit(top);
  if (inTop) levels.push({ name: Buffer.of(), folder: top, inside: inTop, isHeld: true });
  try {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const name = level.inside.pop();
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
  const inside = folder.isFolder ? await closeOnError(folder, visit) : [];
  if (levels.length > maxHeld) {
    levels[levels.length - 1] = { ...from, isHeld: false };
    await from.folder.close();
  }
  levels.push({ name, folder, inside: inside ?? [], isHeld: true });
  return inside !== undefined;
}

async function goUp(levels: Level[], { leave }: FolderVisitor): Promise<void> {
  const left = levels.pop();
  const above = levels.at(-1);
  if (!left || !above) return;
  const level = await using(left.folder, () => reopenParent(left, above));
  if (level) {
    levels[levels.length - 1] = level;
    await leave?.(level.folder, left.name);
  } else levels.splice(levels.findIndex(({ isHeld }) => !isHeld));
}

/** Reopens the parent folder unless it is held open; undefined when `..` has become a different folder. */
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
