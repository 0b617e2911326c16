import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { BenchStack } from '../../kit/bench-stack';
import { connectAgentRuntime, createAgents, text, type BenchAgent } from './agents';

/** The context holds this many of the newest records, however long the history is. */
const recordsInContext = 10;

/** Connects to agent-runtime and creates an agent with this many records. Close `connections` at the end. */
export async function openAgent(stack: BenchStack, records: number) {
  const connections = connectAgentRuntime(stack);
  const runtime = connections.next();
  const [agent] = await createAgents(stack, runtime, 1);
  await extendHistory(stack, agent!, records);
  return { connections, runtime, agent: agent! };
}

/** Extends an agent's history to `count` records, as if it had chatted and been reset many times. */
async function extendHistory(
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
  const message = { kind: 'user_message', text, files: [], messageIds: [randomUUID()], origin: '' };
  const event = isReset
    ? { kind: 'reset', message: '', emergency: false }
    : { ...message, silent: true };
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
