export { memoryLimits, rootId, type MemoryNode } from './domain/memory-node';
export type { ListedNode } from './usecases/list-memory';
export type { FoundNode } from './usecases/search-memory';
export type { Memory } from './build';
