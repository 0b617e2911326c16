import { AppError } from '@daycare/api';
import { isNodeId, memoryLimits, parseNode, type MemoryNode } from '../domain/memory-node';
import { hashOf, type HomeEntry, type UserHomes } from '../../homes';
import type { KnownFile, KnownFiles } from './memory-cache';

const folder = 'memory/graph';
const extension = '.md';
/** Links are not followed: only files in the folder itself can be nodes. */
const options = { plainOnly: true };
const maxConcurrentReads = 16;
/** File timestamps are coarse, so two changes within this time may get the same one. */
const settledAfterMs = 10_000;

/** Returns the path of a node's file; the id must have been checked. */
export function pathOf(nodeId: string): string {
  if (!isNodeId(nodeId)) throw new Error('not a valid node id');
  return `${folder}/${nodeId}${extension}`;
}

/** Reads the current version of a node; undefined when it does not exist. Missing times default to `modifiedAt`. */
export async function readNode(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  nodeId: string,
  modifiedAt: Date,
): Promise<MemoryNode | undefined> {
  const file = await homes.read(userId, pathOf(nodeId), memoryLimits.fileBytes, options);
  return file && { ...parseNode(nodeId, file.toString('utf8'), modifiedAt), sha256: hashOf(file) };
}

/** Returns an identifier for the current version of a node; undefined when the node does not exist. */
export async function identifyNode(
  homes: Pick<UserHomes, 'identify'>,
  userId: string,
  nodeId: string,
): Promise<string | undefined> {
  return isNodeId(nodeId) ? homes.identify(userId, pathOf(nodeId)) : undefined;
}

/**
 * Updates a user's cached memory from the folder. A file is read again unless its size and modification time are
 * unchanged and it was last read well after that time.
 */
export async function refreshFiles(
  homes: Pick<UserHomes, 'list' | 'read'>,
  userId: string,
  files: KnownFiles,
  now: Date,
): Promise<void> {
  const entries = entriesOf((await homes.list(userId, folder, options)) ?? []);
  for (const nodeId of files.keys()) if (!entries.has(nodeId)) files.delete(nodeId);
  const changed = [...entries].filter(([nodeId, entry]) => !isUnchanged(files.get(nodeId), entry));
  await forEachConcurrently(changed, async ([nodeId, entry]) => {
    const file = await readFile(homes, userId, { nodeId, entry, now });
    if (file) files.set(nodeId, file);
    else files.delete(nodeId);
  });
}

/** Returns the entries that are node files, by node id; files that exceed a limit are omitted. */
function entriesOf(entries: readonly HomeEntry[]): ReadonlyMap<string, HomeEntry> {
  const found = new Map<string, HomeEntry>();
  let bytesLeft = memoryLimits.totalBytes;
  for (const entry of entries) {
    const nodeId = entry.name.slice(0, -extension.length);
    if (entry.kind !== 'file' || !entry.name.endsWith(extension) || !isNodeId(nodeId)) continue;
    if (entry.size > Math.min(bytesLeft, memoryLimits.fileBytes)) continue;
    if (found.size === memoryLimits.nodes) break;
    bytesLeft -= entry.size;
    found.set(nodeId, entry);
  }
  return found;
}

function isUnchanged(known: KnownFile | undefined, { size, modifiedAt }: HomeEntry): boolean {
  return known?.isSettled === true && known.size === size && known.modifiedAt === +modifiedAt;
}

async function readFile(
  homes: Pick<UserHomes, 'read'>,
  userId: string,
  { nodeId, entry, now }: { nodeId: string; entry: HomeEntry; now: Date },
): Promise<KnownFile | undefined> {
  const { size, modifiedAt } = entry;
  const node = await readNode(homes, userId, nodeId, modifiedAt).catch((thrown: unknown) => {
    // The file has grown too large since it was listed.
    if (thrown instanceof AppError && thrown.code === 'FAILED_PRECONDITION') return undefined;
    throw thrown;
  });
  const isSettled = +now - +modifiedAt > settledAfterMs;
  return node && { size, modifiedAt: +modifiedAt, isSettled, node };
}

async function forEachConcurrently<T>(
  items: readonly T[],
  handle: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const work = async (): Promise<void> => {
    for (const item of remaining) await handle(item);
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, work));
}
