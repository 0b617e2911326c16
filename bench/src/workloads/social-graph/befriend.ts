import { AddFriendStatus } from '@daycare/contracts/social-graph';
import { addFriend, makeRequestWorkload, pairUp, type RequestScenario } from './friend-request';

const commonScenario = { peopleCount: 400, notices: 2 };

/** Each operation makes two strangers friends: one asks, the other accepts. */
export const makeBefriendWorkload = (
  scenario: Pick<RequestScenario, 'name' | 'inFlight' | 'reach' | 'otherTies'>,
) =>
  makeRequestWorkload({ ...commonScenario, ...scenario }, async (people) => {
    const nextPair = pairUp(people);
    return async (graph) => {
      const [one, other] = nextPair();
      await addFriend(graph, one, other, AddFriendStatus.PENDING_OUT);
      await addFriend(graph, other, one, AddFriendStatus.FRIENDS);
    };
  });

export const befriendWorkload = makeBefriendWorkload({
  name: 'social-graph ask and accept',
  reach: [64],
  otherTies: 0,
});
