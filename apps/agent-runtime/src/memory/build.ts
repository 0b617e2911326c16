import type { UserHomes } from '../homes';
import { FairSemaphore } from '../shared/concurrency/fair-semaphore';
import { makeAuthorOfNodes } from './usecases/author-of-nodes';
import { makeDeleteMemory } from './usecases/delete-memory';
import { identifyNode } from './usecases/memory-files';
import { makeListMemory } from './usecases/list-memory';
import { makeReadMemory } from './usecases/read-memory';
import { makeSearchMemory } from './usecases/search-memory';
import { makeOpenMemory } from './usecases/user-memory';
import { makeWriteMemory } from './usecases/write-memory';

export interface MemoryDeps {
  readonly homes: Pick<UserHomes, 'identify' | 'list' | 'provenance' | 'read' | 'remove' | 'write'>;
  readonly now: () => Date;
}

export type Memory = ReturnType<typeof buildMemory>;

// An open memory may take up tens of megabytes.
const maxOpen = 8;

/** Builds the memory of users' agents, which is stored as files in users' directories. */
export function buildMemory({ homes, now }: MemoryDeps) {
  const openMemory = makeOpenMemory({ homes, slots: new FairSemaphore(maxOpen, 1), now });
  const authorOfNodes = makeAuthorOfNodes(homes);
  return {
    authorOfNodes,
    deleteMemory: makeDeleteMemory({ openMemory, homes }),
    /** Returns an identifier for the current version of a node; undefined when the node does not exist. */
    identifyNode: (userId: string, nodeId: string) => identifyNode(homes, userId, nodeId),
    listMemory: makeListMemory({ openMemory }),
    readMemory: makeReadMemory({ openMemory, homes, now }),
    searchMemory: makeSearchMemory({ openMemory }),
    writeMemory: makeWriteMemory({ openMemory, homes, authorOfNodes, now }),
  };
}
