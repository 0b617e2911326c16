import type { Runtime } from '../clients/clients';
import type { Stack } from '../stack/stack';
import { isHeldBy, listHeldShards, whenShardsShared } from './shard-holders';

/**
 * Freezes the replica that runs an agent while `action` uses the other replica. Messages to the agent wait in its inbox
 * until `action` ends, which must be before the frozen replica's lease expires.
 */
export async function whileFrozen<T>(
  stack: Stack,
  agentId: string,
  action: (other: Runtime) => Promise<T>,
): Promise<T> {
  const runner = await runnerOf(stack, agentId);
  stack.service('agent-runtime', runner).pause();
  try {
    return await action(stack.runtimes[1 - runner]!);
  } finally {
    stack.service('agent-runtime', runner).resume();
  }
}

/** Waits until each of the two replicas holds about half of the shards; resolves with the one that runs the agent. */
async function runnerOf(stack: Stack, agentId: string): Promise<number> {
  await whenShardsShared(stack, [0, 1]);
  const agents = stack.db('agent-runtime').collection<{ _id: string; shard: number }>('agents');
  const agent = await agents.findOne({ _id: agentId });
  const held = (await listHeldShards(stack)).find(({ shard }) => shard === agent!.shard);
  return isHeldBy(stack, 0, held!) ? 0 : 1;
}
