import { AppError } from '@daycare/errors';
import { isNodeId, memoryLimits, parseNode, type MemoryNode } from '../domain/memory-node';
import type { HomeEntry, UserHomes } from '../home/user-homes';
import type { KnownFile, KnownFiles } from './memory-cache';

const folder = 'memory/graph';
const extension = '.md';
/** No link leads here: what is not in the folder itself was not remembered. */
const options = { plainOnly: true };
const readsAtOnce = 16;
/** Clocks of file systems are coarse: two changes in so short a time may look like one. */
const settledAfterMs = 10_000;

/** Where a node's file is; the id must have been checked. */
export function pathOf(nodeId: string): string {
  if (!isNodeId(nodeId)) throw new Error('not the id of a node');
  return `${folder}/${nodeId}${extension}`;
}

/** A node as it is now, of that time if its file names none; undefined when there is none. */
export async function readNode(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  nodeId: string,
  modifiedAt: Date,
): Promise<MemoryNode | undefined> {
  const file = await homes.read(userId, pathOf(nodeId), memoryLimits.fileBytes, options);
  return file && parseNode(nodeId, file.toString('utf8'), modifiedAt);
}

/**
 * Brings what is known of a user's memory up to date with the folder. A file is read again unless its
 * size and time of modification are as they were, and that time had passed when it was last read.
 */
export async function refreshFiles(
  homes: Pick<UserHomes, 'list' | 'read'>,
  userId: string,
  files: KnownFiles,
  now: Date,
): Promise<void> {
  const entries = entriesOf((await homes.list(userId, folder, options)) ?? []);
  for (const nodeId of files.keys()) if (!entries.has(nodeId)) files.delete(nodeId);
  const changed = [...entries].filter(([nodeId, entry]) => !isAsKnown(files.get(nodeId), entry));
  await forEachAtOnce(changed, async ([nodeId, entry]) => {
    const file = await readFile(homes, userId, { nodeId, entry, now });
    if (file) files.set(nodeId, file);
    else files.delete(nodeId);
  });
}

/** The nodes there are, by id; those for which there is no room are left out. */
function entriesOf(entries: readonly HomeEntry[]): ReadonlyMap<string, HomeEntry> {
  const found = new Map<string, HomeEntry>();
  let left = memoryLimits.totalBytes;
  for (const entry of entries) {
    const nodeId = entry.name.slice(0, -extension.length);
    if (entry.kind !== 'file' || !entry.name.endsWith(extension) || !isNodeId(nodeId)) continue;
    if (entry.size > Math.min(left, memoryLimits.fileBytes)) continue;
    if (found.size === memoryLimits.nodes) break;
    left -= entry.size;
    found.set(nodeId, entry);
  }
  return found;
}

function isAsKnown(known: KnownFile | undefined, { size, modifiedAt }: HomeEntry): boolean {
  return known?.isSettled === true && known.size === size && known.modifiedAt === +modifiedAt;
}

async function readFile(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  { nodeId, entry, now }: { nodeId: string; entry: HomeEntry; now: Date },
): Promise<KnownFile | undefined> {
  const { size, modifiedAt } = entry;
  const node = await readNode(homes, userId, nodeId, modifiedAt).catch((thrown: unknown) => {
    // It has grown too long since it was listed.
    if (thrown instanceof AppError && thrown.code === 'FAILED_PRECONDITION') return undefined;
    throw thrown;
  });
  const isSettled = +now - +modifiedAt > settledAfterMs;
  return node && { size, modifiedAt: +modifiedAt, isSettled, node };
}

async function forEachAtOnce<T>(all: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const work = async (): Promise<void> => {
    for (const one of rest) await each(one);
  };
  await Promise.all(Array.from({ length: readsAtOnce }, work));
}
