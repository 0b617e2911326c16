import { setImmediate } from 'node:timers/promises';
import { MemoryGraph } from '../domain/memory-graph';
import { MemorySearch, type MemoryHit } from '../domain/memory-search';
import { rankMemory, type RankedNode } from '../domain/rank-memory';
import type { UserHomes } from '../../homes';
import { bytesOf, MemoryCache, newKnownFiles, type KnownFiles } from './memory-cache';
import { refreshFiles } from './memory-files';

/** The state of a user's memory when it was opened. */
export interface UserMemory {
  readonly graph: MemoryGraph;
  /** Returns the total size of all node files except this node's. */
  readonly bytesWithout: (nodeId: string) => number;
  /** Returns every node that matches the query or is linked to a match, best first. */
  readonly search: (query: string) => Promise<readonly RankedNode[]>;
}

/**
 * Opens a user's memory for the duration of `use`. Within one process, calls for the same user run one at a time, so
 * that a write is based on the current state; other processes may write at the same time.
 */
export type OpenMemory = <T>(
  userId: string,
  use: (memory: UserMemory) => Promise<T> | T,
) => Promise<T>;

export interface OpenMemoryDeps {
  readonly homes: Pick<UserHomes, 'list' | 'read'>;
  /** Limits how many memories are open at the same time; must allow at most one per user. */
  readonly slots: {
    readonly acquire: (userId: string) => Promise<void>;
    readonly release: (userId: string) => void;
  };
  readonly now: () => Date;
}

const charactersPerSlice = 32_768;

export function makeOpenMemory({ homes, slots, now }: OpenMemoryDeps): OpenMemory {
  const cache = new MemoryCache();
  return async (userId, use) => {
    await slots.acquire(userId);
    try {
      const files = cache.take(userId) ?? newKnownFiles();
      // If this fails, reads that are still in progress may change `files` later, so `files` is not put back into
      // the cache.
      await refreshFiles(homes, userId, files, now());
      cache.put(userId, files);
      return await use(memoryOf(files));
    } finally {
      slots.release(userId);
    }
  };
}

function memoryOf(files: KnownFiles): UserMemory {
  const graph = new MemoryGraph(Array.from(files.values(), ({ node }) => node));
  return {
    graph,
    bytesWithout: (nodeId) => bytesOf(files) - (files.get(nodeId)?.size ?? 0),
    search: async (query) => rankMemory(graph, await findHits(graph, query)),
  };
}

/** Yields to other work regularly, because searching a large memory takes a while. */
async function findHits(graph: MemoryGraph, query: string): Promise<readonly MemoryHit[]> {
  const search = new MemorySearch(query);
  let characters = 0;
  for (const node of graph.nodes()) {
    search.add(node);
    characters += node.text.length;
    if (characters < charactersPerSlice) continue;
    characters = 0;
    await setImmediate();
  }
  return search.hits();
}
