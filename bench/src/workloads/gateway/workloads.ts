import { TurnFollower } from '../../follow-up/turn-follower';
import type { Workload } from '../../kit/workload';
import { Conversation } from '../agent-runtime/conversation';
import { connectAgentRuntime, createAgents, newPost } from '../shared/agents';
import { connectIdentity, createUsers, roundRobin } from '../shared/identity-users';
import { openAgent } from '../shared/seed-history';
import { routes, type Route } from './routes';

const inFlight = [1, 16, 64];
const agentCount = 64;
const records = 10;

/** Each call reads one user by id. */
function makeReadWorkload({ name, open }: Route): Workload {
  return {
    name: `gateway GetUser, ${name}`,
    baseline: ['grpc-echo'],
    inFlight,
    async prepare(stack) {
      const identity = connectIdentity(stack);
      const nextUser = roundRobin(await createUsers(identity));
      identity.close();
      const { getUser, close } = open(stack);
      return {
        async run() {
          const { id } = nextUser();
          const returnedId = await getUser(id);
          if (returnedId !== id) throw new Error(`GetUser returned ${returnedId} for ${id}`);
        },
        close: async () => close(),
      };
    },
  };
}

/** Each call posts a message to one of many agents; its work is finished once the message is answered. */
function makePostWorkload({ name, open }: Route): Workload {
  return {
    name: `gateway PostMessage, answered, ${name}`,
    baseline: ['grpc-echo', 'mongo-insert'],
    inFlight,
    async prepare(stack) {
      const runtime = connectAgentRuntime(stack);
      const agents = await createAgents(stack, runtime.next(), agentCount);
      const options = { runtime: runtime.next(), agents, until: 'answered' } as const;
      const followUp = await TurnFollower.open(stack, options);
      const nextAgent = roundRobin(agents);
      const { conversation, close } = open(stack);
      return {
        followUp,
        async run() {
          const { person } = nextAgent();
          const sentMs = Date.now();
          const { messageId } = await conversation.postMessage(newPost(), person.as);
          followUp.accept(messageId, sentMs);
        },
        async close() {
          close();
          runtime.close();
        },
      };
    },
  };
}

/** Each operation posts a message and ends when its answer has arrived on the stream. */
function makeWatchWorkload({ name, open }: Route): Workload {
  return {
    name: `gateway WatchAgent, answered, ${name}`,
    baseline: ['mongo-insert'],
    inFlight: [1],
    async prepare(stack) {
      const { connections, agent } = await openAgent(stack, records);
      const { conversation: calls, close } = open(stack);
      const conversation = new Conversation(calls, agent, { afterSequence: records, watchers: 1 });
      return {
        async run() {
          const { ended } = await conversation.post();
          await ended;
        },
        async close() {
          conversation.close();
          close();
          connections.close();
        },
      };
    },
  };
}

/** The same calls to the services themselves and through the gateway, which shows what the gateway adds. */
export const gatewayWorkloads: readonly Workload[] = [
  makeReadWorkload,
  makePostWorkload,
  makeWatchWorkload,
].flatMap((make) => routes.map(make));
