import { randomUUID } from 'node:crypto';
import { DeliveryCounter } from '../../follow-up/delivery-counter';
import type { Workload } from '../../kit/workload';
import { text } from '../shared/agents';
import { connectSocialGraph, createPeople } from '../shared/people';
import { makeTie, manyFriends, storeStrangersTies, storeTies } from '../shared/seed-ties';

export type SendScenario = Pick<Workload, 'name' | 'inFlight' | 'reach' | 'replicas'> & {
  /** How many friends each sender has. */
  readonly friends: number;
  /** How many ties of other people are stored as well. */
  readonly otherTies: number;
};

const senders = 64;

/** Each call sends a short message to a friend; it is finished once it is in the friend's mailbox. */
export function makeSendWorkload({ friends, otherTies, ...scenario }: SendScenario): Workload {
  return {
    ...scenario,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      const people = await createPeople(stack, senders * 2);
      const from = people.slice(0, senders);
      const pairs = from.map((sender, index) => [sender, people[senders + index]!] as const);
      await storeTies(
        stack,
        pairs.map(([sender, friend]) => makeTie(sender, friend)),
      );
      await storeTies(stack, manyFriends(from, friends - 1));
      await storeStrangersTies(stack, otherTies);
      const graph = connectSocialGraph(stack);
      const followUp = await DeliveryCounter.open(stack);
      let next = 0;
      return {
        followUp,
        async run() {
          const [sender, friend] = pairs[next++ % pairs.length]!;
          const request = { requestId: randomUUID(), nametag: friend.nametag, message: text };
          await graph.next().sendFriendMessage(request, sender.as);
          followUp.accept();
        },
        close: async () => graph.close(),
      };
    },
  };
}

export const sendFriendMessageWorkload = makeSendWorkload({
  name: 'social-graph SendFriendMessage, delivered',
  reach: [1, 64],
  friends: 20,
  otherTies: 0,
});
