import type { MemoryNode } from '../domain/memory-node';

/** A node's file as it was when it was read. */
export interface KnownFile {
  readonly size: number;
  readonly modifiedAt: number;
  /** Whether a later change is sure to show in its time of modification. */
  readonly isSettled: boolean;
  readonly node: MemoryNode;
}

/** What is known of one user's memory, by node id. */
export type KnownFiles = Map<string, KnownFile>;

export const newKnownFiles = (): KnownFiles => new Map<string, KnownFile>();

const mostBytes = 16 * 1_048_576;

/** Memories that were used of late; those used longest ago make room. */
export class MemoryCache {
  readonly #kept = new Map<string, { readonly files: KnownFiles; readonly bytes: number }>();

  /** Hands out what is kept: it is the caller's alone until it is put back. */
  take(userId: string): KnownFiles | undefined {
    const kept = this.#kept.get(userId);
    this.#kept.delete(userId);
    return kept?.files;
  }

  put(userId: string, files: KnownFiles): void {
    if (files.size === 0) return;
    this.#kept.set(userId, { files, bytes: bytesOf(files) });
    let total = 0;
    for (const { bytes } of this.#kept.values()) total += bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (total <= mostBytes) return;
      this.#kept.delete(oldest);
      total -= bytes;
    }
  }
}

export function bytesOf(files: KnownFiles): number {
  let bytes = 0;
  for (const { size } of files.values()) bytes += size;
  return bytes;
}
