import { LRUCache } from 'lru-cache';
import type { MemoryNode } from '../domain/memory-node';

/** What a node's file contained when it was last read. */
export interface KnownFile {
  readonly size: number;
  readonly modifiedAt: number;
  /** Whether any later change is certain to alter the modification time. */
  readonly isSettled: boolean;
  readonly node: MemoryNode;
}

/** The cached memory of one user, by node id. */
export type KnownFiles = Map<string, KnownFile>;

export const newKnownFiles = (): KnownFiles => new Map<string, KnownFile>();

const maxBytes = 16 * 1_048_576;

/** Recently used memories; the least recently used are evicted. */
export class MemoryCache {
  readonly #cached = new LRUCache<string, KnownFiles>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
  });

  /** Removes a memory from the cache; only the caller may then use it, until the caller puts it back. */
  take(userId: string): KnownFiles | undefined {
    const files = this.#cached.get(userId);
    this.#cached.delete(userId);
    return files;
  }

  put(userId: string, files: KnownFiles): void {
    // The cache rejects entries of size 0; an empty memory is not worth caching anyway.
    if (bytesOf(files) > 0) this.#cached.set(userId, files);
  }
}

export function bytesOf(files: KnownFiles): number {
  let bytes = 0;
  for (const { size } of files.values()) bytes += size;
  return bytes;
}
