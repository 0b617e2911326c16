import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually, type TestServer } from '@daycare/testing';
import { Talk, type Talker } from './support/load';
import type { Person } from './support/people';
import { startSocialStack, type Replica, type SocialStack } from './support/social-stack';

const pairCount = 4;

let social: SocialStack;
let talkers: Talker[];

beforeAll(async () => {
  social = await startSocialStack({ ownServers: true });
  const stranger = await social.people.newPerson();
  const pairs = Array.from({ length: pairCount }, () => newTalkers(stranger));
  talkers = (await Promise.all(pairs)).flat();
}, 60_000);
afterAll(async () => social.stop());

async function newTalkers(stranger: Person): Promise<Talker[]> {
  const { people } = social;
  const [one, other] = await Promise.all([people.newPerson(), people.newPerson()]);
  await befriend(one, other);
  const [hers, his] = await Promise.all([people.newSubuser(one), people.newSubuser(other)]);
  return [
    { ...one, helper: hers, friend: other, stranger },
    { ...other, helper: his, friend: one, stranger },
  ];
}

async function befriend(one: Person, other: Person): Promise<void> {
  const [graph] = social.graphs;
  await graph.addFriend({ requestId: createId(), nametag: other.nametag }, one.as);
  await graph.addFriend({ requestId: createId(), nametag: one.nametag }, other.as);
}

/** Everybody talks while `disturb` runs; then everything accepted must be heard once and in order. */
async function talkThrough(disturb: (acceptedSoFar: () => number) => Promise<void>): Promise<void> {
  await social.settled();
  const before = talkers.map((talker) => heardBy(talker).length);
  const talks = talkers.map((talker) => new Talk(social.graphs, talker).start());
  const acceptedSoFar = () => talks.reduce((sum, { accepted }) => sum + accepted.length, 0);
  try {
    await eventually(() => acceptedSoFar() > talkers.length);
    await disturb(acceptedSoFar);
    const now = acceptedSoFar();
    await eventually(() => acceptedSoFar() > now + talkers.length, { timeoutMs: 30_000 });
  } finally {
    await Promise.all(talks.map((talk) => talk.stop()));
  }
  await social.settled(30_000);
  for (const [index, { accepted, doubtful, refused }] of talks.entries()) {
    const heard = heardBy(talkers[index]!).slice(before[index]);
    expect(heard.filter((each) => !doubtful.includes(each))).toEqual(accepted);
    expect(doubtful.filter((text) => count(heard, text) > 1)).toEqual([]);
    expect(social.listener.heard.filter(({ text }) => refused.includes(text))).toEqual([]);
  }
}

const heardBy = ({ id, friend }: Talker): string[] =>
  social.listener.between(id, friend.id).map(({ notice, text }) => notice?.kind ?? text);
const count = (all: readonly string[], one: string): number =>
  all.filter((each) => each === one).length;

async function crash(replica: Replica): Promise<void> {
  await social.replica(replica).kill();
  await social.replica(replica).restart();
}

/** Where the server said that it keeps its streams. */
function storeOf(nats: TestServer): string {
  const found = /Store Directory:\s+"(.+?)"/.exec(nats.lastLines().join('\n'));
  if (!found?.[1]) throw new Error('nats-server did not say where its store is');
  return found[1];
}

describe('everything that was accepted is heard once, in order, and nothing else is heard', () => {
  it('when replicas of the service die, one after the other and together', async () => {
    await talkThrough(async () => {
      for (let round = 0; round < 5; round += 1) {
        await crash(0);
        await crash(1);
      }
      await Promise.all([crash(0), crash(1)]);
    });
  }, 120_000);

  it('when a replica freezes for longer than its calls and claims last, and comes back', async () => {
    await talkThrough(async (acceptedSoFar) => {
      social.replica(1).pause();
      const then = acceptedSoFar();
      await eventually(() => acceptedSoFar() > then + 3 * talkers.length, { timeoutMs: 30_000 });
      social.replica(1).resume();
    });
  }, 120_000);

  it('when NATS dies', async () => {
    await talkThrough(async (acceptedSoFar) => {
      await social.stack.nats!.kill();
      const then = acceptedSoFar();
      await eventually(() => acceptedSoFar() > then + 5 * talkers.length);
      await social.stack.nats!.restart();
    });
  }, 120_000);

  it('when NATS dies and everything it had stored is gone, with messages under way', async () => {
    const nats = social.stack.nats!;
    const store = storeOf(nats);
    await talkThrough(async () => {
      const release = social.listener.hold();
      const published = { publishedAt: { $exists: true } };
      const outbox = social.db.collection('outbox');
      await eventually(async () => (await outbox.countDocuments(published)) >= talkers.length);
      await nats.kill();
      await rm(store, { recursive: true });
      release();
      await nats.restart();
    });
  }, 120_000);

  it('when MongoDB dies', async () => {
    await talkThrough(async (acceptedSoFar) => {
      for (let round = 0; round < 3; round += 1) {
        await social.stack.mongo!.kill();
        await social.stack.mongo!.restart();
        const now = acceptedSoFar();
        await eventually(() => acceptedSoFar() > now + talkers.length, { timeoutMs: 30_000 });
      }
    });
  }, 120_000);
});
