import type { Workload } from '../../kit/workload';
import { makePostWorkload } from '../agent-runtime/post-message';
import { makeSendWorkload } from '../social-graph/send-friend-message';

const inFlight = [64];
const describeReplicas = (replicas: number): string =>
  replicas === 1 ? '1 replica' : `${replicas} replicas`;

/** One, two and three processes of social-graph and agent-runtime; calls go to them in turn. */
export const moreReplicasWorkloads: readonly Workload[] = [1, 2, 3].flatMap((replicas) => [
  makeSendWorkload({
    name: `growth: SendFriendMessage, ${describeReplicas(replicas)}`,
    inFlight,
    replicas,
    friends: 20,
    otherTies: 0,
  }),
  makePostWorkload({
    name: `growth: PostMessage, ${describeReplicas(replicas)}`,
    inFlight,
    replicas,
    agentCount: 64,
  }),
]);
