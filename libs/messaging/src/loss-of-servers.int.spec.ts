import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort, findServer, findWorkspaceRoot, startMongod } from '@daycare/local-stack';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase } from '@daycare/testing';
import { connectNats, type NatsHandle } from './connect-nats';
import { manageJetStream } from './ensure-stream';
import type { OutboxRelayHandle } from './start-outbox-relay';
import { TestCourier } from './test-support/test-courier';
import { TestNatsServer } from './test-support/test-nats-server';
import { draft, TestLog } from './test-support/test-parts';

const lanes = Array.from({ length: 10 }, (_, lane) => `lane${lane}`);
const rounds = Array.from({ length: 12 }, (_, round) => `${round}`);
const patient = { republishAfterMs: 2_000, maxRepublishAfterMs: 4_000 };

describe('losing a server while messages are under way', () => {
  let server: TestNatsServer;
  let mongo: MongoConnection;
  let nats: NatsHandle;
  let courier: TestCourier;

  beforeEach(async () => {
    server = await TestNatsServer.prepare(await chooseFreePort());
    await server.start();
    mongo = await testDatabase('loss');
    nats = await connectNats({ url: server.url, name: 'test', logger: new TestLog() });
    courier = await TestCourier.create(mongo.db, nats.connection);
  });
  afterEach(async () => {
    await courier.close();
    await nats.close();
    await mongo.close();
    await server.remove();
  });

  const sendRound = async (relay: OutboxRelayHandle, text: string): Promise<void> => {
    const drafts = lanes.map((lane) => draft(lane, text));
    await courier.send(relay, drafts);
  };
  const expectAllInOrder = async (): Promise<void> => {
    await eventually(async () => (await courier.store.backlog()).rows === 0, { timeoutMs: 20_000 });
    const complete = Object.fromEntries(lanes.map((lane) => [lane, rounds]));
    expect(await courier.inbox.textsByLane()).toEqual(complete);
    expect(courier.inbox.buried).toEqual([]);
  };

  it('loses nothing, repeats nothing and keeps the order when NATS is killed', async () => {
    const relay = courier.relay(patient);
    courier.consumer();
    for (const [round, text] of rounds.entries()) {
      await sendRound(relay, text);
      if (round === 3) await server.kill();
      if (round === 7) await server.start();
    }
    await expectAllInOrder();
    const complaints = courier.log.messages().filter((line) => line.startsWith('cannot publish'));
    expect(complaints.length).toBeLessThan(3);
  });

  it('does so even when everything NATS had stored is gone', async () => {
    const relay = courier.relay(patient);
    for (const text of rounds.slice(0, 6)) await sendRound(relay, text);
    const { streams } = await manageJetStream(nats.connection);
    await eventually(async () => {
      const { state } = await streams.info(courier.stream.name);
      return state.messages === lanes.length;
    });
    await server.kill();
    await server.loseStore();
    await server.start();
    await eventually(() => nats.ping().then(() => true));
    courier.consumer();
    for (const text of rounds.slice(6)) await sendRound(relay, text);
    await expectAllInOrder();
  });

  it('does so when MongoDB is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'daycare-mongo-'));
    const { DAYCARE_MONGO_URL: _, ...env } = process.env;
    const found = findServer('mongo', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
    if (found.kind !== 'binary') throw new Error('there is no mongod to start');
    const start = () => startMongod({ binary: found.binary, env, dataDir: folder });
    let mongod = await start();
    const own = await connectMongo({ url: mongod.url, database: 'loss', appName: 'test' });
    courier = await TestCourier.create(own.db, nats.connection);
    try {
      const relay = courier.relay(patient);
      courier.consumer();
      for (const [round, text] of rounds.entries()) {
        await sendRound(relay, text);
        if (round !== 5) continue;
        mongod.kill('SIGKILL');
        await mongod.exited;
        mongod = await start();
      }
      await expectAllInOrder();
      await courier.close();
    } finally {
      await own.close();
      await mongod.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
