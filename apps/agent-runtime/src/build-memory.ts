import type { UserHomes } from './home/user-homes';
import { FairSlots } from './runtime/fair-slots';
import { makeListMemory } from './usecases/list-memory';
import { makeReadMemory } from './usecases/read-memory';
import { makeSearchMemory } from './usecases/search-memory';
import { makeOpenMemory } from './usecases/user-memory';
import { makeWriteMemory } from './usecases/write-memory';

export interface MemoryParts {
  readonly homes: Pick<UserHomes, 'list' | 'read' | 'write'>;
  readonly now: () => Date;
}

// Each may take some tens of megabytes while it is open.
const openAtOnce = 8;

/** What tools do with users' memories. */
export function buildMemory(parts: MemoryParts) {
  const openMemory = makeOpenMemory({ ...parts, slots: new FairSlots(openAtOnce, 1) });
  const common = { ...parts, openMemory };
  return {
    listMemory: makeListMemory(common),
    readMemory: makeReadMemory(common),
    searchMemory: makeSearchMemory(common),
    writeMemory: makeWriteMemory(common),
  };
}
