import { randomUUID } from 'node:crypto';
import { DeliveryCounter } from '../../follow-up/delivery-counter';
import type { Workload } from '../../kit/workload';
import { shortText } from '../shared/agents';
import { connectSocialGraph, createPeople } from '../shared/people';
import { makeTie, tiesToFriends, storeStrangersTies, storeTies } from '../shared/seed-ties';

export type SendScenario = Pick<Workload, 'name' | 'inFlight' | 'reach' | 'replicas'> & {
  /** How many friends each sender has. */
  readonly friends: number;
  /** How many ties between strangers are also stored. */
  readonly otherTies: number;
};

const senderCount = 64;

/** Each call sends a short message to a friend; its work is finished once the message is in the friend's mailbox. */
export function makeSendWorkload({ friends, otherTies, ...scenario }: SendScenario): Workload {
  return {
    ...scenario,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      const people = await createPeople(stack, senderCount * 2);
      const senders = people.slice(0, senderCount);
      const pairs = senders.map((sender, index) => [sender, people[senderCount + index]!] as const);
      await storeTies(
        stack,
        pairs.map(([sender, friend]) => makeTie(sender, friend)),
      );
      await storeTies(stack, tiesToFriends(senders, friends - 1));
      await storeStrangersTies(stack, otherTies);
      const graph = connectSocialGraph(stack);
      const followUp = await DeliveryCounter.open(stack);
      let next = 0;
      return {
        followUp,
        async run() {
          const [sender, friend] = pairs[next++ % pairs.length]!;
          const request = { requestId: randomUUID(), nametag: friend.nametag, message: shortText };
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
