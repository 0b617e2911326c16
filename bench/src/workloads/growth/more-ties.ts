import type { Workload } from '../../kit/workload';
import { makeBefriendWorkload } from '../social-graph/befriend';
import { makeSendWorkload } from '../social-graph/send-friend-message';

/**
 * Measures SendFriendMessage, and asking and accepting, with more and more ties stored, after the same calls have been
 * measured with few ties. The cost of a call must not grow with the number of ties.
 */
export const moreTiesWorkloads: readonly Workload[] = [
  makeSendWorkload({
    name: 'growth: SendFriendMessage, 2,000 friends instead of 20',
    inFlight: [64],
    reach: [64],
    friends: 2_000,
    otherTies: 0,
  }),
  makeSendWorkload({
    name: 'growth: SendFriendMessage, 128,000 ties of others',
    inFlight: [64],
    reach: [64],
    friends: 20,
    otherTies: 128_000,
  }),
  makeBefriendWorkload({
    name: 'growth: ask and accept, 128,000 ties of others',
    inFlight: [64],
    reach: [64],
    otherTies: 128_000,
  }),
  makeSendWorkload({
    name: 'growth: SendFriendMessage, 1,000,000 ties of others',
    inFlight: [64],
    friends: 20,
    otherTies: 1_000_000,
  }),
];
