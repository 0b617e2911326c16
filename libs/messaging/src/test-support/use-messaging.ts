import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testNatsUrl } from '@daycare/testing';
import { connectNats, type NatsHandle } from '../nats/connect-nats';
import { manageJetStream } from '../nats/ensure-stream';
import type { MessageStatus } from '../outbox/outbox-store';
import { TestMessaging } from './test-messaging';
import { TestLog } from './fixtures';

export interface MessagingFixture {
  readonly nats: NatsHandle;
  /** New for every test. */
  readonly messaging: TestMessaging;
  untilState(id: string, state: MessageStatus['state']): Promise<unknown>;
  countInStream(): Promise<number>;
}

/**
 * Gives every test of a `describe` its own TestMessaging, on the servers that all tests of this run share.
 */
export function useMessaging(): MessagingFixture {
  let mongo: MongoConnection;
  let nats: NatsHandle;
  let messaging: TestMessaging;
  beforeAll(async () => {
    mongo = await testDatabase('messaging');
    nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: new TestLog() });
  });
  beforeEach(async () => {
    messaging = await TestMessaging.create(mongo.db, nats.connection);
  });
  afterEach(() => messaging.close());
  afterAll(async () => {
    await nats.close();
    await mongo.close();
  });
  return {
    get nats() {
      return nats;
    },
    get messaging() {
      return messaging;
    },
    untilState: (id, state) =>
      eventually(async () => (await messaging.store.status(id)).state === state),
    async countInStream() {
      const { streams } = await manageJetStream(nats.connection);
      return (await streams.info(messaging.streamName)).state.messages;
    },
  };
}
