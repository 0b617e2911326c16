import { readdir, readFile, stat, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chooseFreePort } from '@daycare/local-stack';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase } from '@daycare/testing';
import { connectNats, type NatsHandle } from './connect-nats';
import { manageJetStream } from './ensure-stream';
import { draft, TestLog } from '../test-support/fixtures';
import { TestMessaging } from '../test-support/test-messaging';
import { TestNatsServer } from '../test-support/test-nats-server';

let mongo: MongoConnection;
let server: TestNatsServer;
let nats: NatsHandle;
beforeAll(async () => {
  mongo = await testDatabase('ahead');
  server = await TestNatsServer.prepare(await chooseFreePort());
  await server.start();
  nats = await connectNats({ url: server.url, name: 'test', logger: new TestLog() });
});
afterAll(async () => {
  await nats.close();
  await server.remove();
  await mongo.close();
});

/** Finds the file with a durable's position. */
async function findPosition(durable: string): Promise<string> {
  const files = await readdir(server.storeDir, { recursive: true });
  const found = files.find((file) => file.endsWith(join('obs', durable, 'o.dat')));
  if (!found) throw new Error('not stored yet');
  return join(server.storeDir, found);
}

it('a consumer skips no message of a new stream, even if NATS still has the position of a lost durable', async () => {
  const messaging = await TestMessaging.create(mongo.db, nats.connection);
  const relay = messaging.relay();
  let handledMs = 0;
  const consume = () =>
    messaging.consumer({
      async handle(message) {
        handledMs = Date.now();
        await messaging.inbox.handle(message);
      },
    });
  const send = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++) {
      await messaging.send(relay, [draft('lane')]);
      await eventually(async () => (await messaging.countOpen()) === 0);
    }
  };
  const first = consume();
  await send(8);
  const lost = await messaging.durable();
  const file = await eventually(() => findPosition(lost));
  await eventually(async () => (await stat(file)).mtimeMs >= handledMs - 10);
  const position = await readFile(file);
  await first.stop();
  const { streams } = await manageJetStream(nats.connection);
  await streams.delete(messaging.streamName);
  expect(await messaging.durable()).not.toBe(lost);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, position);
  // More messages than the lost durable has delivered.
  for (let sent = 1; sent <= 12; sent++) {
    await messaging.send(relay, [draft('lane')]);
    const { streamName } = messaging;
    await eventually(async () => (await streams.info(streamName)).state.last_seq >= sent);
  }
  consume();
  await eventually(async () => (await messaging.countOpen()) === 0);
  expect(await messaging.inbox.ids()).toHaveLength(20);
  await messaging.close();
});
