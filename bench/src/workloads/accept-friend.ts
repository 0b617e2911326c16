import { randomUUID } from 'node:crypto';
import { AddFriendStatus } from '@daycare/contracts/social-graph';
import type { Workload } from '../workload';
import {
  connectSocialGraph,
  createPeople,
  makeTie,
  storeStrangersTies,
  storeTies,
  type Person,
} from './people';

const peopleCount = 300;

/** Each call accepts a request that waits for the caller. */
const makeWorkload = (name: string, otherTies: number): Workload => ({
  name,
  baseline: ['grpc-echo', 'mongo-insert'],
  async prepare(stack) {
    await storeStrangersTies(stack, otherTies);
    const people = await createPeople(stack, peopleCount);
    const pairs = people.flatMap((asker, index) =>
      people.slice(index + 1).map((asked): [Person, Person] => [asker, asked]),
    );
    // Neighbours in the list share no user, as calls at the same moment rarely do.
    pairs.sort(() => Math.random() - 0.5);
    await storeTies(
      stack,
      pairs.map(([asker, asked]) => makeTie(asker, asked, asker)),
    );
    const graph = connectSocialGraph(stack);
    let next = 0;
    return {
      async run() {
        const [asker, asked] = pairs[next++]!;
        const request = { requestId: randomUUID(), nametag: asker.nametag };
        const { status } = await graph.addFriend(request, asked.as);
        if (status !== AddFriendStatus.FRIENDS) throw new Error(`accepting led to ${status}`);
      },
      close: async () => graph.close(),
    };
  },
});

export const acceptFriendWorkload = makeWorkload('social-graph AddFriend, accepting', 0);

export const acceptFriendAmongManyWorkload = makeWorkload(
  'social-graph AddFriend, accepting, 1 M ties stored',
  1_000_000,
);
