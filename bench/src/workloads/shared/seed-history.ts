import { extendHistory } from '@daycare/testing';
import type { BenchStack } from '../../kit/bench-stack';
import { connectAgentRuntime, createAgents, shortText } from './agents';

/** Connects to agent-runtime and creates an agent with this many records. Close `connections` at the end. */
export async function openAgent(stack: BenchStack, records: number) {
  const connections = connectAgentRuntime(stack);
  const runtime = connections.next();
  const [agent] = await createAgents(stack, runtime, 1);
  const { id: agentId, person } = agent!;
  await extendHistory(
    { mongoUrl: stack.mongoUrl, database: 'agent-runtime' },
    { agentId, userId: person.id, count: records, textOf: () => shortText },
  );
  return { connections, runtime, agent: agent! };
}
