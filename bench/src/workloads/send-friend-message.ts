import { randomUUID } from 'node:crypto';
import type { Workload } from '../workload';
import { connectSocialGraph, createPeople, makeTie, storeTies, storeStrangersTies } from './people';

interface Scene {
  readonly name: string;
  /** How many friends each sender has. */
  readonly friends: number;
  /** How many ties of other people are stored beside. */
  readonly otherTies: number;
}

const senders = 64;
const text = 'Can you look at the latest deploy when you have a minute? It seems slow.';

/** Each call sends a short message to one of the sender's friends, and it is delivered meanwhile. */
function makeWorkload({ name, friends, otherTies }: Scene): Workload {
  return {
    name: `social-graph SendFriendMessage, ${name}`,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      const people = await createPeople(stack, senders * 2);
      const pairs = people
        .slice(0, senders)
        .map((sender, index) => [sender, people[senders + index]!] as const);
      await storeTies(
        stack,
        pairs.map(([sender, friend]) => makeTie(sender, friend)),
      );
      await storeTies(
        stack,
        manyFriends(
          pairs.map(([{ id, nametag }]) => ({ id, nametag })),
          friends - 1,
        ),
      );
      await storeStrangersTies(stack, otherTies);
      const graph = connectSocialGraph(stack);
      let next = 0;
      return {
        async run() {
          const [sender, friend] = pairs[next++ % pairs.length]!;
          const request = { requestId: randomUUID(), nametag: friend.nametag, message: text };
          await graph.sendFriendMessage(request, sender.as);
        },
        async close() {
          graph.close();
        },
      };
    },
  };
}

/** Friends that only the database knows: they are counted, never written to. */
function* manyFriends(
  people: readonly { id: string; nametag: string }[],
  count: number,
): Iterable<object> {
  for (const [index, person] of people.entries()) {
    for (let friend = 0; friend < count; friend += 1) {
      const id = `friend${index.toString(36).padStart(4, '0')}${friend.toString(36).padStart(8, '0')}`;
      yield makeTie(person, { id: `${id}${randomUUID().slice(0, 6)}`, nametag: `friend${friend}` });
    }
  }
}

/** The same call with more and more stored: its cost must not grow with it. */
export const sendFriendMessageWorkloads: readonly Workload[] = [
  makeWorkload({ name: '100 friends', friends: 100, otherTies: 0 }),
  makeWorkload({ name: '10,000 friends', friends: 10_000, otherTies: 0 }),
  makeWorkload({ name: '1 M ties stored', friends: 100, otherTies: 1_000_000 }),
];
