import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { eventually } from '@daycare/testing';
import { SendingLoop, type Talker } from '../support/load/talker';
import type { Person } from '../support/people/people';
import { startListeningStack } from '../support/stack/listener';

const stack = useFixture(() => startListeningStack({ ownServers: true }));
const { people, listener } = stack;

const pairCount = 4;

let talkers: Talker[];

beforeAll(async () => {
  const stranger = await people.newPerson();
  const pairs = Array.from({ length: pairCount }, () => newTalkers(stranger));
  talkers = (await Promise.all(pairs)).flat();
});

async function newTalkers(stranger: Person): Promise<Talker[]> {
  const [one, other] = await people.newFriends();
  const helpers = await Promise.all([people.newSubuser(one), people.newSubuser(other)]);
  return [
    { ...one, helper: helpers[0], friend: other, stranger },
    { ...other, helper: helpers[1], friend: one, stranger },
  ];
}

/** Has everyone send while `disturb` runs; then expects everything accepted to be received once and in order. */
async function talkThrough(disturb: (acceptedSoFar: () => number) => Promise<void>): Promise<void> {
  await listener.settled();
  const before = talkers.map((talker) => receivedBy(talker).length);
  const loops = talkers.map((talker) => new SendingLoop(stack.graphs, talker).start());
  const acceptedSoFar = () => loops.reduce((sum, { accepted }) => sum + accepted.length, 0);
  try {
    await eventually(() => acceptedSoFar() > talkers.length);
    await disturb(acceptedSoFar);
    const acceptedBefore = acceptedSoFar();
    await eventually(() => acceptedSoFar() > acceptedBefore + talkers.length, {
      timeoutMs: 30_000,
    });
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()));
  }
  await listener.settled(30_000);
  for (const [index, { accepted, doubtful, refused }] of loops.entries()) {
    const received = receivedBy(talkers[index]!).slice(before[index]);
    expect(received.filter((text) => !doubtful.includes(text))).toEqual(accepted);
    expect(doubtful.filter((text) => count(received, text) > 1)).toEqual([]);
    expect(listener.received.filter(({ text }) => refused.includes(text))).toEqual([]);
  }
}

const receivedBy = ({ id, friend }: Talker): string[] =>
  listener.between(id, friend.id).map(({ notice, text }) => notice?.kind ?? text);
const count = (texts: readonly string[], wanted: string): number =>
  texts.filter((text) => text === wanted).length;

async function crash(replica: number): Promise<void> {
  await stack.service('social-graph', replica).kill();
  await stack.service('social-graph', replica).restart();
}

describe('crashes while users send messages', () => {
  it('everything accepted is delivered once and in order when social-graph replicas are killed in turn and together', async () => {
    await talkThrough(async () => {
      for (let round = 0; round < 5; round += 1) {
        await crash(0);
        await crash(1);
      }
      await Promise.all([crash(0), crash(1)]);
    });
  });

  it('everything accepted is delivered once and in order when a social-graph replica freezes and resumes', async () => {
    await talkThrough(async (acceptedSoFar) => {
      stack.service('social-graph', 1).pause();
      const acceptedBefore = acceptedSoFar();
      await eventually(() => acceptedSoFar() > acceptedBefore + 3 * talkers.length, {
        timeoutMs: 30_000,
      });
      stack.service('social-graph', 1).resume();
    });
  });

  it('everything accepted is delivered once and in order when NATS is killed', async () => {
    await talkThrough(async (acceptedSoFar) => {
      await stack.nats!.kill();
      const acceptedBefore = acceptedSoFar();
      await eventually(() => acceptedSoFar() > acceptedBefore + 5 * talkers.length);
      await stack.nats!.restart();
    });
  });

  it('everything accepted is delivered once and in order when NATS loses its store with messages in flight', async () => {
    const nats = stack.nats!;
    const store = join(stack.folder, 'nats', 'store');
    await talkThrough(async () => {
      const release = listener.hold();
      const published = { publishedAt: { $exists: true } };
      const outbox = stack.db('social-graph').collection('outbox');
      await eventually(async () => (await outbox.countDocuments(published)) >= talkers.length);
      await nats.kill();
      await rm(store, { recursive: true });
      release();
      await nats.restart();
    });
  });

  it('everything accepted is delivered once and in order when MongoDB is killed repeatedly', async () => {
    await talkThrough(async (acceptedSoFar) => {
      for (let round = 0; round < 3; round += 1) {
        await stack.mongo!.kill();
        await stack.mongo!.restart();
        const acceptedBefore = acceptedSoFar();
        await eventually(() => acceptedSoFar() > acceptedBefore + talkers.length, {
          timeoutMs: 30_000,
        });
      }
    });
  });
});
