import { randomUUID } from 'node:crypto';
import { DeliveryCounter } from '../../follow-up/delivery-counter';
import { TurnFollower } from '../../follow-up/turn-follower';
import type { Workload } from '../../kit/workload';
import { connectAgentRuntime, createAgents, shortText } from '../shared/agents';
import { connectSocialGraph, createPeople } from '../shared/people';
import { makeTie, storeTies } from '../shared/seed-ties';

const senderCount = 64;

/** Each call sends a message to a friend who has an agent; its work is finished once the agent's turn has begun. */
export const friendMessageTurnWorkload: Workload = {
  name: 'social-graph SendFriendMessage, turn begun',
  baseline: ['mongo-insert'],
  reach: [64],
  async prepare(stack) {
    const runtime = connectAgentRuntime(stack);
    const graph = connectSocialGraph(stack);
    const people = await createPeople(stack, senderCount);
    const agents = await createAgents(stack, runtime.next(), senderCount);
    await storeTies(
      stack,
      people.map((sender, index) => makeTie(sender, agents[index]!.person)),
    );
    const delivery = await DeliveryCounter.open(stack);
    const options = { runtime: runtime.next(), agents, until: 'begun', delivery } as const;
    const followUp = await TurnFollower.open(stack, options);
    let next = 0;
    return {
      followUp,
      async run() {
        const pair = next++ % senderCount;
        const { nametag } = agents[pair]!.person;
        const request = { requestId: randomUUID(), nametag, message: shortText };
        const sentMs = Date.now();
        const { messageId } = await graph.next().sendFriendMessage(request, people[pair]!.as);
        delivery.accept();
        followUp.accept(messageId, sentMs);
      },
      async close() {
        graph.close();
        runtime.close();
      },
    };
  },
};
