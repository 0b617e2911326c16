import { beforeAll, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { NoticeKind } from '@daycare/contracts/common';
import type { User } from '@daycare/contracts/identity';
import { AddFriendStatus } from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/api';
import type { Person } from '../support/people/people';
import type { Graph } from '../support/clients/clients';
import { startListeningStack } from '../support/stack/listener';

// The same pairs become friends again and again, so neither requests nor their notices may be limited.
const env = { DAYCARE_FRIEND_COOLDOWN_MS: '0', DAYCARE_FRIEND_NOTICE_EVERY_MS: '0' };
const stack = useFixture(() => startListeningStack({ env, timeoutMs: 60_000 }));
const { people, listener } = stack;

/** An even number, so that each round pairs everyone: 1,035 pairs in total. */
const peopleCount = 46;

interface Participant extends Person {
  readonly helper: User;
}
type Pair = readonly [Participant, Participant];

let graphs: readonly [Graph, Graph];
let everyone: Participant[];
let rounds: Pair[][];

beforeAll(async () => {
  graphs = [stack.graphs[0]!, stack.graphs[1]!];
  everyone = await Promise.all(
    Array.from({ length: peopleCount }, async () => {
      const person = await people.newPerson();
      return { ...person, helper: await people.newSubuser(person) };
    }),
  );
  rounds = pairUp(everyone);
});

/** Returns the rounds of a round-robin tournament: one person keeps their place while the others rotate. */
function pairUp(all: readonly Participant[]): Pair[][] {
  const [first, ...rotating] = all;
  return rotating.map((_, round) => {
    const circle = [first!, ...rotating.slice(round), ...rotating.slice(0, round)];
    return circle
      .slice(0, all.length / 2)
      .map((one, index): Pair => [one, circle[all.length - 1 - index]!]);
  });
}

/** Runs `meet` for all pairs, one round after another; the pairs in a round meet concurrently. */
async function forAllPairs<T>(
  meet: (pair: Pair, index: number) => Promise<T>,
  playedRounds = rounds,
): Promise<T[]> {
  const results: T[] = [];
  for (const pairs of playedRounds) results.push(...(await Promise.all(pairs.map(meet))));
  return results;
}

const newRequest = ({ nametag }: { readonly nametag: string }) => ({
  requestId: createId(),
  nametag,
});
const add = (graph: Graph, one: Participant, other: { readonly nametag: string }) =>
  graph.addFriend(newRequest(other), one.as);
const remove = (graph: Graph, one: Participant, other: Participant) =>
  graph.removeFriend(newRequest(other), one.as);
const send = (
  graph: Graph,
  one: Participant,
  other: { readonly nametag: string },
  message = createId(),
) => graph.sendFriendMessage({ ...newRequest(other), message }, one.as);
const newShare = (owner: Participant, friend: Participant) => ({
  requestId: createId(),
  friendNametag: friend.nametag,
  subuserId: owner.helper.id,
});

/** Resolves with the precondition or code with which the call was refused, or undefined if it succeeded. */
async function refusalOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details.precondition?.type ?? error.code;
  }
}

async function befriend([one, other]: Pair): Promise<void> {
  await add(graphs[0], one, other);
  await add(graphs[1], other, one);
}

const received = (from: { readonly id: string }, to: { readonly id: string }) =>
  listener.between(from.id, to.id).map(({ notice, text }) => notice?.kind ?? text);

describe('simultaneous friend requests', () => {
  it('two users who add each other at the same instant become friends with one request and one acceptance, in all 1,035 pairs', async () => {
    const answers = await forAllPairs(async ([one, other]) => {
      const calls = [add(graphs[0], one, other), add(graphs[1], other, one)];
      return (await Promise.all(calls)).map(({ status }) => status);
    });
    const both = [AddFriendStatus.FRIENDS, AddFriendStatus.PENDING_OUT];
    for (const statuses of answers) expect(statuses.sort()).toEqual(both);
    await listener.settled();
    await forAllPairs(async ([one, other]) => {
      const isOneRequester = received(one, other).includes(NoticeKind.FRIEND_REQUESTED);
      const [requester, recipient] = isOneRequester ? [one, other] : [other, one];
      expect(received(requester, recipient)).toEqual([NoticeKind.FRIEND_REQUESTED]);
      expect(received(recipient, requester)).toEqual([NoticeKind.FRIEND_ACCEPTED]);
    });
    for (const { as } of everyone) {
      const lists = await graphs[1].listFriends({ pageSize: 0, pageToken: '' }, as);
      expect(lists.friends).toHaveLength(peopleCount - 1);
      expect(lists).toMatchObject({ friendCount: peopleCount - 1, requestCount: 0 });
    }
  }, 300_000);
});

describe('a share racing the end of a friendship', () => {
  it('no offered or accepted share survives the concurrent end of the friendship in any of 1,035 pairs', async () => {
    const outcomes = await forAllPairs(async ([one, other], index) => {
      const isOffered = index % 2 === 0;
      if (isOffered) await graphs[0].shareSubuser(newShare(one, other), one.as);
      const change = isOffered
        ? add(graphs[0], other, one.helper)
        : graphs[0].shareSubuser(newShare(one, other), one.as);
      const removal =
        index % 3 === 0 ? remove(graphs[1], one, other) : remove(graphs[1], other, one);
      const [refusal] = await Promise.all([refusalOf(change), removal]);
      return refusal ?? 'shared first';
    });
    const ties = stack.db('social-graph').collection('ties');
    expect(await ties.countDocuments({ 'shares.0': { $exists: true } })).toBe(0);
    expect(await ties.countDocuments({ 'bond.kind': 'friends' })).toBe(0);
    for (const { as } of everyone) {
      const { friends } = await graphs[0].listFriends({ pageSize: 0, pageToken: '' }, as);
      expect(friends).toEqual([]);
    }
    // Each side has won the race at least once.
    expect(new Set(outcomes)).toEqual(new Set(['shared first', 'NOT_FRIENDS', 'NOT_FOUND']));
  }, 300_000);
});

describe('a send racing the end of a friendship or of a share', () => {
  const someRounds = () => rounds.slice(0, 5);
  /** Expects every accepted message to be either delivered once or discarded as no longer allowed. */
  const expectReceivedOrDiscarded = async (
    lane: string,
    accepted: string[],
    delivered: readonly string[],
  ) => {
    expect(accepted).toEqual(expect.arrayContaining([...delivered]));
    expect(new Set(delivered).size).toBe(delivered.length);
    const outbox = stack.db('social-graph').collection('outbox');
    const discarded = await outbox.countDocuments({ lane, reason: 'no longer allowed' });
    expect(discarded).toBeGreaterThanOrEqual(accepted.length - delivered.length);
  };

  it('a message accepted while the friendship is ending is delivered or discarded, and every replica refuses later ones', async () => {
    const outcomes = await forAllPairs(async (pair) => {
      const [one, other] = pair;
      await befriend(pair);
      const messages = [createId(), createId(), createId(), createId()];
      const sends = messages.map((text, index) =>
        send(graphs[index % 2 ? 0 : 1], one, other, text),
      );
      const racing = Promise.all(sends.map(refusalOf));
      await remove(graphs[0], other, one);
      const late = graphs.map((graph) => refusalOf(send(graph, one, other)));
      expect(await Promise.all(late)).toEqual(['NOT_FRIENDS', 'NOT_FRIENDS']);
      const refusals = await racing;
      const accepted = messages.filter((_, index) => refusals[index] === undefined);
      return { one, other, accepted };
    }, someRounds());
    await listener.settled();
    for (const { one, other, accepted } of outcomes) {
      const texts = received(one, other).filter((text) => !text.startsWith('NOTICE_KIND'));
      await expectReceivedOrDiscarded(`${one.id}>${other.id}`, accepted, texts);
    }
  }, 300_000);

  it('a message to a subuser accepted while its share is being revoked is delivered or discarded, and later ones are refused', async () => {
    const outcomes = await forAllPairs(async (pair) => {
      const [one, other] = pair;
      await befriend(pair);
      const share = newShare(one, other);
      await graphs[0].shareSubuser(share, one.as);
      await add(graphs[1], other, one.helper);
      const messages = [createId(), createId()];
      const sends = messages.map((text, index) =>
        send(graphs[index ? 0 : 1], other, one.helper, text),
      );
      const racing = Promise.all(sends.map(refusalOf));
      await graphs[0].unshareSubuser({ ...share, requestId: createId() }, one.as);
      const late = graphs.map((graph) => refusalOf(send(graph, other, one.helper)));
      expect(await Promise.all(late)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
      const refusals = await racing;
      const accepted = messages.filter((_, index) => refusals[index] === undefined);
      return { other, helper: one.helper, accepted };
    }, someRounds());
    await listener.settled();
    for (const { other, helper, accepted } of outcomes)
      await expectReceivedOrDiscarded(
        `${other.id}>${helper.id}`,
        accepted,
        received(other, helper),
      );
  }, 300_000);
});
