import type { Runtime } from '../clients/clients';
import type { Stack } from '../stack/stack';
import { isHeldBy, listHeld, whenShared } from './shard-holders';

/**
 * Freezes the replica that runs an agent and runs `action` through the other one: messages to the agent
 * wait in its inbox in the meantime.
 */
export async function whileFrozen<T>(
  stack: Stack,
  agentId: string,
  action: (other: Runtime) => Promise<T>,
): Promise<T> {
  const running = await runnerOf(stack, agentId);
  stack.service('agent-runtime', running).pause();
  try {
    return await action(stack.runtimes[1 - running]!);
  } finally {
    stack.service('agent-runtime', running).resume();
  }
}

/** The replica that runs an agent, once both hold half of the shards. */
async function runnerOf(stack: Stack, agentId: string): Promise<number> {
  await whenShared(stack, [0, 1]);
  const agents = stack.db('agent-runtime').collection<{ _id: string; shard: number }>('agents');
  const agent = await agents.findOne({ _id: agentId });
  const held = (await listHeld(stack)).find(({ shard }) => shard === agent!.shard);
  return isHeldBy(stack, 0, held!) ? 0 : 1;
}
