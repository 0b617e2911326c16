import { LRUCache } from 'lru-cache';
import type { HomeEntry } from '../../homes';

export type ReadFile = () => Promise<Buffer | undefined>;

interface KnownFile extends Pick<HomeEntry, 'size' | 'modifiedAt'> {
  readonly file: Buffer;
}

const maxBytes = 32 * 1_048_576;
/** A file modified more recently than this is not cached, because it may change again within the same timestamp. */
const settledMs = 2_000;

/**
 * Caches skill files for lists of skills, because every prompt needs such a list and skills rarely change. A cached
 * file is used as long as the size and the modification time on disk are the same.
 */
export class KnownSkillFiles {
  readonly #files = new LRUCache<string, KnownFile>({
    maxSize: maxBytes,
    sizeCalculation: ({ file }) => file.length + 1,
  });

  constructor(private readonly now: () => number) {}

  async get(
    userId: string,
    entry: HomeEntry | undefined,
    read: ReadFile,
  ): Promise<Buffer | undefined> {
    if (!entry) return undefined;
    const key = `${userId}/${entry.name}`;
    const known = this.#files.get(key);
    const modifiedMs = entry.modifiedAt.getTime();
    if (known?.size === entry.size && known.modifiedAt.getTime() === modifiedMs) return known.file;
    const file = await read();
    const isSettled = this.now() - modifiedMs > settledMs;
    if (file && isSettled) this.#files.set(key, { ...entry, file });
    else this.#files.delete(key);
    return file;
  }
}
