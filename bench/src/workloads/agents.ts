import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../bench-stack';
import type { Person } from './people';

export type AgentRuntimeClient = RpcClient<typeof AgentRuntimeServiceService>;

/** An agent, and the person it belongs to. */
export interface BenchAgent {
  readonly id: string;
  readonly person: Person;
}

const text = 'Can you look at the latest deploy when you have a minute? It seems slow.';

export function connectAgentRuntime(stack: BenchStack): AgentRuntimeClient {
  const address = stack.addressOf('agent-runtime');
  return createRpcClient(AgentRuntimeServiceService, { address, timeoutMs: 20_000 });
}

/** A short message through the person's only channel. */
export function newPost() {
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

/** Makes the agent of a person's channel. */
export async function makeAgent(runtime: AgentRuntimeClient, person: Person): Promise<BenchAgent> {
  const { agentId } = await runtime.postMessage(newPost(), person.as);
  return { id: agentId, person };
}

/** The rest of an agent's context, whatever its history: this many of its newest records. */
const recordsInContext = 10;

/** Adds records to an agent's history, as if it had talked and been reset many times, to `count` in all. */
export async function lengthenHistory(
  stack: BenchStack,
  { id: agentId, person }: BenchAgent,
  count: number,
): Promise<void> {
  const client = await new MongoClient(stack.mongoUrl).connect();
  const history = client.db('agent-runtime').collection('history');
  const head = await history.findOne({ agentId }, { sort: { number: -1 } });
  if (!head) throw new Error(`agent ${agentId} has no history`);
  const { number, state } = head as unknown as { number: number; state: { lastSequence: number } };
  const missing = count - state.lastSequence;
  for (let from = 0; from < missing; from += 10_000) {
    const size = Math.min(10_000, missing - from);
    const entries = Array.from({ length: size }, (_, index) => {
      const sequence = state.lastSequence + from + index + 1;
      const isReset = sequence === count - recordsInContext || sequence % 100 === 0;
      return entryOf(agentId, person.id, number + from + index + 1, sequence, isReset, count);
    });
    await history.insertMany(entries, { ordered: false });
  }
  await client.close();
}

function entryOf(
  agentId: string,
  userId: string,
  number: number,
  sequence: number,
  isReset: boolean,
  count: number,
): object {
  const said = { kind: 'user_message', text, files: [], messageIds: [randomUUID()], origin: '' };
  const event = isReset
    ? { kind: 'reset', message: '', emergency: false }
    : { ...said, silent: true };
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const contextFrom = Math.max(1, count - recordsInContext);
  const state = { lastSequence: sequence, contextFrom, contextTokens: 180, usage };
  return {
    agentId,
    userId,
    number,
    fence: 0,
    holder: '',
    at: new Date(),
    events: [event],
    state,
  };
}
