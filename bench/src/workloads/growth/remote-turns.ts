import { randomUUID } from 'node:crypto';
import { AgentRole } from '@daycare/contracts/agent-runtime';
import { conversationOf, ModelServer, openAiEvents, type SeenRequest } from '@daycare/testing';
import type { BenchStack } from '../../kit/bench-stack';
import type { Workload } from '../../kit/workload';
import { Conversation } from '../agent-runtime/conversation';
import type { AgentRuntimeClient } from '../shared/agents';
import { connectIdentity } from '../shared/identity-users';
import { openAgent } from '../shared/seed-history';

interface TurnScenario {
  readonly records: number;
  /** The model's context window, in tokens. */
  readonly window: number;
}

/** Prompt and tools take about half of this window, so the context is summarised every few turns. */
const smallWindow = 16_000;
const largeWindow = 1_000_000;
/**
 * The number of turns is the same in every run, because the context grows with each turn, and code that has run only a
 * few times is not compiled yet. All these turns together still fit into the large window.
 */
const supply = { warmUp: 60, measured: 150 };
/** About 500 tokens. */
const longText = 'It seems slow. '.repeat(133);

/** Each operation is one turn, from the message to its answer; the bench plays the model over HTTP. */
export const remoteTurnWorkloads: readonly Workload[] = [10, 100_000].flatMap((records) => [
  makeTurnWorkload({ records, window: largeWindow }),
  makeTurnWorkload({ records, window: smallWindow }),
]);

function makeTurnWorkload({ records, window }: TurnScenario): Workload {
  const compacting = window === smallWindow ? ', with compactions' : '';
  return {
    name: `growth: turn of a remote model, ${records.toLocaleString('en-US')} records${compacting}`,
    baseline: ['mongo-insert'],
    inFlight: [1],
    async prepare(stack) {
      const { connections, runtime, agent } = await openAgent(stack, records);
      let modelCalls = 0;
      const server: ModelServer = await ModelServer.start((request) => {
        server.requests.splice(0);
        modelCalls += 1;
        return { steps: openAiEvents(answer(request)) };
      });
      const model = await addModel(stack, runtime, { url: server.url, window });
      const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
      const choice = { requestId: randomUUID(), ...scope, models: [model] };
      await runtime.setModel(choice, agent.person.as);
      const options = { afterSequence: records, watchers: 1, text: longText };
      const conversation = new Conversation(runtime, agent, options);
      return {
        async run() {
          const { ended } = await conversation.post();
          await ended;
        },
        supply,
        countModelCalls: () => modelCalls,
        async close() {
          conversation.close();
          connections.close();
          await server.close();
        },
      };
    },
  };
}

/** Adds the provider at run time, as an operator does; returns the name of its model. */
async function addModel(
  stack: BenchStack,
  runtime: AgentRuntimeClient,
  { url, window: contextWindow }: { readonly url: string; readonly window: number },
): Promise<string> {
  const identity = connectIdentity(stack);
  const { tokens } = await identity.issueToken({ userId: '', agentId: '', publicKeyJwk: '' });
  identity.close();
  const as = { metadata: { authorization: `Bearer ${tokens?.accessToken ?? ''}` } };
  const name = `bench-${randomUUID().slice(0, 8)}`;
  const models = [{ id: 'model', contextWindow, maxOutputTokens: 2_000 }];
  await runtime.addModelProvider({ requestId: randomUUID(), name, url, models }, as);
  return `${name}/model`;
}

/** Plays the model: counts a request's tokens, as a provider does; summaries are as long as real ones. */
function answer({ body }: SeenRequest) {
  const input = Math.ceil(JSON.stringify(body).length / 4);
  const usage = { input, output: 20, cached: 0 };
  const isSummary = JSON.stringify(conversationOf(body)[0] ?? '').includes('## Facts');
  const text = isSummary
    ? `## Requests\n${'Slow deploys. '.repeat(40)}\n## Facts\n- Ada deploys.`
    : 'Done.';
  return { text: [text], usage };
}
