import { TurnFollower } from '../../follow-up/turn-follower';
import type { Workload } from '../../kit/workload';
import { connectAgentRuntime, createAgents, newPost } from '../shared/agents';

export type PostScenario = Pick<Workload, 'name' | 'inFlight' | 'reach' | 'replicas'> & {
  readonly agentCount: number;
};

/** Each call posts a message to one of many agents; its work is finished once the message is answered. */
export function makePostWorkload({ agentCount, ...scenario }: PostScenario): Workload {
  return {
    ...scenario,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      const runtime = connectAgentRuntime(stack);
      const agents = await createAgents(stack, runtime.next(), agentCount);
      const options = { runtime: runtime.next(), agents, until: 'answered' } as const;
      const followUp = await TurnFollower.open(stack, options);
      let next = 0;
      return {
        followUp,
        async run() {
          const { person } = agents[next++ % agentCount]!;
          const sentMs = Date.now();
          const { messageId } = await runtime.next().postMessage(newPost(), person.as);
          followUp.accept(messageId, sentMs);
        },
        close: async () => runtime.close(),
      };
    },
  };
}

/** With few agents, messages pile up and one turn answers several. */
export const postMessageWorkloads: readonly Workload[] = [
  { agentCount: 8 },
  { agentCount: 64, reach: [1, 64] },
  { agentCount: 1_000 },
].map((scenario) => {
  const agents = scenario.agentCount.toLocaleString('en-US');
  return makePostWorkload({
    name: `agent-runtime PostMessage, answered, ${agents} agents`,
    ...scenario,
  });
});
