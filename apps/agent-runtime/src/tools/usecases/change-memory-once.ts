import type { AgentCall } from '../../agents';
import type { Memory } from '../../memory';
import type { ToolLedger } from '../ports/ledger';

export interface ChangeMemoryDeps {
  readonly memory: Pick<Memory, 'deleteMemory' | 'identifyNode' | 'writeMemory'>;
  readonly ledger: ToolLedger;
}

type WriteRequest = Parameters<Memory['writeMemory']>[1];
type WrittenNode = Awaited<ReturnType<Memory['writeMemory']>>;

/** Writes a node, at most once per request id: a retry leaves a later version unchanged. */
export function writeMemoryOnce(
  { memory, ledger }: ChangeMemoryDeps,
  call: AgentCall,
  request: WriteRequest,
): Promise<WrittenNode> {
  const { nodeId, title } = request;
  const identify = makeIdentify(memory, call, nodeId ?? '');
  const key = { call, toolName: 'memory_write', args: { ...request } };
  return ledger.once<string | null, WrittenNode>(key, {
    observe: identify,
    // Without an id, the usecase recognises the node that an earlier attempt created.
    act: async (before, isRetry) =>
      isRetry && nodeId !== undefined && (await identify()) !== before
        ? { nodeId, title, isNew: before === null }
        : memory.writeMemory(call, request),
  });
}

/** Deletes a node, at most once per request id: a retry keeps a node that has been written since. */
export async function deleteMemoryOnce(
  { memory, ledger }: ChangeMemoryDeps,
  call: AgentCall,
  nodeId: string,
): Promise<boolean> {
  const identify = makeIdentify(memory, call, nodeId);
  const key = { call, toolName: 'memory_delete', args: { nodeId } };
  const { deleted } = await ledger.once(key, {
    observe: identify,
    async act(before, isRetry) {
      if (!isRetry || (before !== null && (await identify()) === before))
        return { deleted: await memory.deleteMemory(call, nodeId) };
      return { deleted: before !== null };
    },
  });
  return deleted;
}

function makeIdentify(
  { identifyNode }: Pick<Memory, 'identifyNode'>,
  call: AgentCall,
  nodeId: string,
) {
  return async (): Promise<string | null> =>
    (await identifyNode(call.agent.userId, nodeId)) ?? null;
}
