import { AddFriendStatus } from '@daycare/contracts/social-graph';
import { makeTie, storeTies } from '../shared/seed-ties';
import { addFriend, countPairs, makeRequestWorkload, pairUp } from './friend-request';

const peopleCount = 300;

/** Each call accepts another user's pending request. */
export const acceptFriendWorkload = makeRequestWorkload(
  { name: 'social-graph AddFriend, accepting', peopleCount, otherTies: 0, notices: 1 },
  async (people, stack) => {
    const nextPair = pairUp(people);
    const pairs = Array.from({ length: countPairs(peopleCount) }, nextPair);
    const requests = pairs.map(([sender, recipient]) => makeTie(sender, recipient, sender));
    await storeTies(stack, requests);
    let next = 0;
    return async (graph) => {
      const [sender, recipient] = pairs[next++]!;
      await addFriend(graph, recipient, sender, AddFriendStatus.FRIENDS);
    };
  },
);
