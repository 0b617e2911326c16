import { FieldChecks } from '@daycare/api';
import { checkNodeId } from '../domain/memory-node';
import type { UserHomes } from '../../homes';
import type { AgentCall } from '../../agents';
import { pathOf } from './memory-files';
import type { OpenMemory } from './user-memory';

export interface DeleteMemoryDeps {
  readonly homes: Pick<UserHomes, 'remove'>;
  readonly openMemory: OpenMemory;
}

/**
 * Deletes a node from the memory of the agent's user; returns false when there is no such node. Its children are then
 * listed under their other parents, or at the top level.
 */
export function makeDeleteMemory({ homes, openMemory }: DeleteMemoryDeps) {
  return async ({ agent: { userId } }: AgentCall, nodeId: string): Promise<boolean> => {
    checkNodeId(new FieldChecks(), nodeId).done();
    return openMemory(userId, () => homes.remove(userId, pathOf(nodeId)));
  };
}
