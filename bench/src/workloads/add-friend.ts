import { randomUUID } from 'node:crypto';
import type { Workload } from '../workload';
import { connectSocialGraph, createPeople, storeStrangersTies } from './people';

const peopleCount = 400;

/** Each call asks somebody whom the caller has nothing with yet. */
const makeWorkload = (name: string, otherTies: number): Workload => ({
  name,
  baseline: ['grpc-echo', 'mongo-insert'],
  async prepare(stack) {
    await storeStrangersTies(stack, otherTies);
    const people = await createPeople(stack, peopleCount);
    const graph = connectSocialGraph(stack);
    let call = 0;
    return {
      async run() {
        // Every pair once: people ask those after them, all of them in turn.
        const asker = people[call % peopleCount]!;
        const asked = people[(call + 1 + Math.floor(call / peopleCount)) % peopleCount]!;
        call += 1;
        await graph.addFriend({ requestId: randomUUID(), nametag: asked.nametag }, asker.as);
      },
      close: async () => graph.close(),
    };
  },
});

export const addFriendWorkload = makeWorkload('social-graph AddFriend, asking', 0);

export const addFriendAmongManyWorkload = makeWorkload(
  'social-graph AddFriend, asking, 1 M ties stored',
  1_000_000,
);
