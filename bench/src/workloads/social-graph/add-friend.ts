import { AddFriendStatus } from '@daycare/contracts/social-graph';
import { addFriend, makeRequestWorkload, pairUp, type RequestScenario } from './friend-request';

const commonScenario = { peopleCount: 400, notices: 1 };

/** Each call sends a request to a user without any tie to the caller. */
const makeWorkload = (scenario: Pick<RequestScenario, 'name' | 'reach' | 'otherTies'>) =>
  makeRequestWorkload({ ...commonScenario, ...scenario }, async (people) => {
    const nextPair = pairUp(people);
    return async (graph) => addFriend(graph, ...nextPair(), AddFriendStatus.PENDING_OUT);
  });

export const addFriendWorkload = makeWorkload({
  name: 'social-graph AddFriend, asking',
  reach: [1],
  otherTies: 0,
});
