import { randomUUID } from 'node:crypto';
import type { AddFriendStatus } from '@daycare/contracts/social-graph';
import { DeliveryCounter } from '../../follow-up/delivery-counter';
import type { BenchStack } from '../../kit/bench-stack';
import type { Workload } from '../../kit/workload';
import {
  connectSocialGraph,
  createPeople,
  type Person,
  type SocialGraphClient,
} from '../shared/people';
import { storeStrangersTies } from '../shared/seed-ties';

export type RequestScenario = Pick<Workload, 'name' | 'inFlight' | 'reach'> & {
  readonly peopleCount: number;
  /** How many ties between strangers are also stored. */
  readonly otherTies: number;
  /** How many notices one operation sends. */
  readonly notices: number;
};

/**
 * Returns a workload of friend requests. `prepare` returns the function that performs one operation; an operation's
 * work is finished once its notices have been delivered.
 */
export function makeRequestWorkload(
  { peopleCount, otherTies, notices, ...scenario }: RequestScenario,
  prepare: (
    people: readonly Person[],
    stack: BenchStack,
  ) => Promise<(graph: SocialGraphClient) => Promise<void>>,
): Workload {
  return {
    ...scenario,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      await storeStrangersTies(stack, otherTies);
      const people = await createPeople(stack, peopleCount);
      const graph = connectSocialGraph(stack);
      const operate = await prepare(people, stack);
      const followUp = await DeliveryCounter.open(stack, notices);
      return {
        followUp,
        async run() {
          await operate(graph.next());
          followUp.accept();
        },
        close: async () => graph.close(),
      };
    },
  };
}

/** Sends a friend request or accepts one, and checks that the resulting status is the expected one. */
export async function addFriend(
  graph: SocialGraphClient,
  from: Person,
  to: Person,
  expected: AddFriendStatus,
): Promise<void> {
  const request = { requestId: randomUUID(), nametag: to.nametag };
  const { status } = await graph.addFriend(request, from.as);
  if (status !== expected) throw new Error(`AddFriend returned ${status}, not ${expected}`);
}

/**
 * Returns a function that returns every pair of people once. After the first `people.length` calls, consecutive pairs
 * have no person in common.
 */
export function pairUp<T>(people: readonly T[]): () => [T, T] {
  const pairs = countPairs(people.length);
  let call = 0;
  return () => {
    if (call >= pairs) throw new Error('there are no more pairs of people');
    const one = people[call % people.length]!;
    const distance = 1 + Math.floor(call / people.length);
    const other = people[(call + distance) % people.length]!;
    call += 1;
    return [one, other];
  };
}

/** Returns how many pairs `pairUp` returns. */
export function countPairs(peopleCount: number): number {
  return (peopleCount * (peopleCount - 1)) / 2;
}
