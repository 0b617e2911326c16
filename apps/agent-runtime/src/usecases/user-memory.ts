import { setImmediate } from 'node:timers/promises';
import { MemoryGraph } from '../domain/memory-graph';
import { MemorySearch, type MemoryHit } from '../domain/memory-search';
import { rankMemory, type RankedNode } from '../domain/rank-memory';
import type { UserHomes } from '../home/user-homes';
import { bytesOf, MemoryCache, newKnownFiles, type KnownFiles } from './memory-cache';
import { refreshFiles } from './memory-files';

/** What a user's agents remember, as it was when it was opened. */
export interface UserMemory {
  readonly graph: MemoryGraph;
  /** The bytes of all the nodes' files but this one's. */
  readonly bytesWithout: (nodeId: string) => number;
  /** Every node that has to do with these words, best first. */
  readonly search: (query: string) => Promise<readonly RankedNode[]>;
}

/**
 * Opens a user's memory for as long as `use` takes. In one process that is one at a time for a user, so
 * what is written meanwhile was decided on what is there; other processes write too.
 */
export type OpenMemory = <T>(
  userId: string,
  use: (memory: UserMemory) => Promise<T> | T,
) => Promise<T>;

export interface OpenMemoryDeps {
  readonly homes: Pick<UserHomes, 'list' | 'read'>;
  /** Bounds how many are open at once; must give a user no more than one. */
  readonly slots: {
    readonly acquire: (userId: string) => Promise<void>;
    readonly release: (userId: string) => void;
  };
  readonly now: () => Date;
}

const charactersAtOnce = 32_768;

export function makeOpenMemory({ homes, slots, now }: OpenMemoryDeps): OpenMemory {
  const cache = new MemoryCache();
  return async (userId, use) => {
    await slots.acquire(userId);
    try {
      const files = cache.take(userId) ?? newKnownFiles();
      // A failure here leaves reads under way, so the files are not used again.
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

/** Others get their turn in between: a large memory takes a while. */
async function findHits(graph: MemoryGraph, query: string): Promise<readonly MemoryHit[]> {
  const search = new MemorySearch(query);
  let characters = 0;
  for (const node of graph.nodes()) {
    search.add(node);
    characters += node.text.length;
    if (characters < charactersAtOnce) continue;
    characters = 0;
    await setImmediate();
  }
  return search.hits();
}
