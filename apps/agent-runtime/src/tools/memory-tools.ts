import type { makeListMemory } from '../usecases/list-memory';
import type { makeReadMemory } from '../usecases/read-memory';
import type { makeSearchMemory } from '../usecases/search-memory';
import type { makeWriteMemory } from '../usecases/write-memory';
import { makeMemoryListTool } from './memory-list';
import { makeMemoryReadTool } from './memory-read';
import { makeMemorySearchTool } from './memory-search';
import { makeMemoryWriteTool } from './memory-write';
import type { Tool } from './tool';

/** What can be done with the memories of users. */
export interface MemoryUsecases {
  readonly listMemory: ReturnType<typeof makeListMemory>;
  readonly readMemory: ReturnType<typeof makeReadMemory>;
  readonly searchMemory: ReturnType<typeof makeSearchMemory>;
  readonly writeMemory: ReturnType<typeof makeWriteMemory>;
}

/** The tools on what users' agents remember; none where users have no directories. */
export function makeMemoryTools({
  memory,
}: {
  readonly memory: MemoryUsecases | undefined;
}): readonly Tool[] {
  if (!memory) return [];
  return [
    makeMemoryListTool(memory),
    makeMemoryReadTool(memory),
    makeMemorySearchTool(memory),
    makeMemoryWriteTool(memory),
  ];
}
