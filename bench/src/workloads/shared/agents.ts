import { randomUUID } from 'node:crypto';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../../kit/bench-stack';
import { createPeople, type Person } from './people';
import { connectReplicas, type Spread } from './spread';

export type AgentRuntimeClient = RpcClient<typeof AgentRuntimeServiceService>;

/** An agent and its owner. */
export interface BenchAgent {
  readonly id: string;
  readonly person: Person;
}

export const shortText = 'Can you look at the latest deploy when you have a minute? It seems slow.';

export function connectAgentRuntime(stack: BenchStack): Spread<AgentRuntimeClient> {
  return connectReplicas(stack, 'agent-runtime', (address) =>
    createRpcClient(AgentRuntimeServiceService, { address, timeoutMs: 20_000 }),
  );
}

/** Returns a message, by default a short one, for the owner's only channel. */
export function newPost(text = shortText) {
  return {
    requestId: randomUUID(),
    connector: 'cli',
    channelId: 'desk',
    connectorUserId: 'me',
    text,
    fileIds: [],
    replyTarget: '',
  };
}

/** Creates the agent for a person's channel by posting the first message. */
async function createAgent(runtime: AgentRuntimeClient, person: Person): Promise<BenchAgent> {
  const { agentId } = await runtime.postMessage(newPost(), person.as);
  return { id: agentId, person };
}

/** Creates people who each have one agent that has answered its first message. */
export async function createAgents(
  stack: BenchStack,
  runtime: AgentRuntimeClient,
  count: number,
): Promise<BenchAgent[]> {
  const people = await createPeople(stack, count);
  const agents: BenchAgent[] = [];
  while (agents.length < count) {
    const batch = people.slice(agents.length, agents.length + 64);
    agents.push(...(await Promise.all(batch.map((person) => createAgent(runtime, person)))));
  }
  for (const agent of agents) await waitUntilIdle(runtime, agent);
  return agents;
}

async function waitUntilIdle(
  runtime: AgentRuntimeClient,
  { id, person }: BenchAgent,
): Promise<void> {
  for (;;) {
    const selector = { $case: 'agentId', value: id } as const;
    const { agent } = await runtime.getAgent({ selector }, person.as);
    if (agent?.inboxCount === 0 && agent.lastSequence >= 3) return;
  }
}
