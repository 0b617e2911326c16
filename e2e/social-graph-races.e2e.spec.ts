import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { NoticeKind } from '@daycare/contracts/common';
import type { User } from '@daycare/contracts/identity';
import { AddFriendStatus } from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/errors';
import type { Person } from './support/people';
import { startSocialStack, type Graph, type SocialStack } from './support/social-stack';

/** An even number of people, so that in each round everybody meets somebody: 1,035 pairs in all. */
const peopleCount = 46;

interface Somebody extends Person {
  readonly helper: User;
}
type Pair = readonly [Somebody, Somebody];

let social: SocialStack;
let graphs: readonly [Graph, Graph];
let everybody: Somebody[];
let rounds: Pair[][];

beforeAll(async () => {
  social = await startSocialStack(
    {
      // The same pairs become friends again and again.
      env: { DAYCARE_FRIEND_COOLDOWN_MS: '0', DAYCARE_FRIEND_NOTICE_EVERY_MS: '0' },
    },
    60_000,
  );
  graphs = social.graphs;
  everybody = await Promise.all(
    Array.from({ length: peopleCount }, async () => {
      const person = await social.people.newPerson();
      return { ...person, helper: await social.people.newSubuser(person) };
    }),
  );
  rounds = pairUp(everybody);
}, 60_000);
afterAll(async () => social.stop());

/** The rounds of a tournament: one stays, the others walk around it. */
function pairUp(all: readonly Somebody[]): Pair[][] {
  const [first, ...walking] = all;
  return walking.map((_, round) => {
    const circle = [first!, ...walking.slice(round), ...walking.slice(0, round)];
    return circle
      .slice(0, all.length / 2)
      .map((one, index): Pair => [one, circle[all.length - 1 - index]!]);
  });
}

/** Everybody at once, about one other each; the first of a pair calls one replica, the second the other. */
async function forAllPairs<T>(
  meet: (pair: Pair, index: number) => Promise<T>,
  some = rounds,
): Promise<T[]> {
  const results: T[] = [];
  for (const pairs of some) results.push(...(await Promise.all(pairs.map(meet))));
  return results;
}

const about = ({ nametag }: { readonly nametag: string }) => ({ requestId: createId(), nametag });
const add = (graph: Graph, one: Somebody, other: { readonly nametag: string }) =>
  graph.addFriend(about(other), one.as);
const remove = (graph: Graph, one: Somebody, other: Somebody) =>
  graph.removeFriend(about(other), one.as);
const send = (
  graph: Graph,
  one: Somebody,
  other: { readonly nametag: string },
  message = createId(),
) => graph.sendFriendMessage({ ...about(other), message }, one.as);
const sharing = (owner: Somebody, friend: Somebody) => ({
  requestId: createId(),
  friendNametag: friend.nametag,
  subuserId: owner.helper.id,
});

/** The refusal's type or code; undefined when the call was answered. */
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

const heard = (from: { readonly id: string }, to: { readonly id: string }) =>
  social.listener.between(from.id, to.id).map(({ notice, text }) => notice?.kind ?? text);

describe('two users who add each other at the same instant', () => {
  it('are friends afterwards and hear of one request and one acceptance, 1,035 times', async () => {
    const answers = await forAllPairs(async ([one, other]) => {
      const calls = [add(graphs[0], one, other), add(graphs[1], other, one)];
      return (await Promise.all(calls)).map(({ status }) => status);
    });
    const both = [AddFriendStatus.FRIENDS, AddFriendStatus.PENDING_OUT];
    for (const statuses of answers) expect(statuses.sort()).toEqual(both);
    await social.settled();
    await forAllPairs(async ([one, other]) => {
      const requested = heard(one, other).includes(NoticeKind.FRIEND_REQUESTED);
      const [asker, asked] = requested ? [one, other] : [other, one];
      expect(heard(asker, asked)).toEqual([NoticeKind.FRIEND_REQUESTED]);
      expect(heard(asked, asker)).toEqual([NoticeKind.FRIEND_ACCEPTED]);
    });
    for (const { as } of everybody) {
      const lists = await graphs[1].listFriends({ pageSize: 0, pageToken: '' }, as);
      expect(lists.friends).toHaveLength(peopleCount - 1);
      expect(lists).toMatchObject({ friendCount: peopleCount - 1, requestCount: 0 });
    }
  }, 120_000);
});

describe('a share racing an unfriend', () => {
  it('never survives it, neither offered nor accepted, 1,035 times', async () => {
    const outcomes = await forAllPairs(async ([one, other], index) => {
      const isOffered = index % 2 === 0;
      if (isOffered) await graphs[0].shareSubuser(sharing(one, other), one.as);
      const change = isOffered
        ? add(graphs[0], other, one.helper)
        : graphs[0].shareSubuser(sharing(one, other), one.as);
      const remover =
        index % 3 === 0 ? remove(graphs[1], one, other) : remove(graphs[1], other, one);
      const [refusal] = await Promise.all([refusalOf(change), remover]);
      return refusal ?? 'shared first';
    });
    const ties = social.db.collection('ties');
    expect(await ties.countDocuments({ 'shares.0': { $exists: true } })).toBe(0);
    expect(await ties.countDocuments({ 'bond.kind': 'friends' })).toBe(0);
    for (const { as } of everybody) {
      const { friends } = await graphs[0].listFriends({ pageSize: 0, pageToken: '' }, as);
      expect(friends).toEqual([]);
    }
    // Both sides of the race were won now and then.
    expect(new Set(outcomes)).toEqual(new Set(['shared first', 'NOT_FRIENDS', 'NOT_FOUND']));
  }, 120_000);
});

describe('a send racing an unfriend or a revoke', () => {
  const someRounds = () => rounds.slice(0, 5);

  it('is delivered if it was answered, and refused on every replica from then on', async () => {
    const told = await forAllPairs(async (pair) => {
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
    await social.settled();
    for (const { one, other, accepted } of told) {
      const texts = heard(one, other).filter((each) => !each.startsWith('NOTICE_KIND'));
      expect(texts.sort()).toEqual(accepted.sort());
    }
  }, 120_000);

  it('holds for a shared subuser as well', async () => {
    const told = await forAllPairs(async (pair) => {
      const [one, other] = pair;
      await befriend(pair);
      const share = sharing(one, other);
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
    await social.settled();
    for (const { other, helper, accepted } of told) {
      expect([...heard(other, helper)].sort()).toEqual(accepted.sort());
    }
  }, 120_000);
});
