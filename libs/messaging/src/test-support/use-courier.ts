import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testNatsUrl } from '@daycare/testing';
import { connectNats, type NatsHandle } from '../connect-nats';
import { manageJetStream } from '../ensure-stream';
import type { MessageStatus } from '../outbox-store';
import { TestCourier } from './test-courier';
import { TestLog } from './test-parts';

export interface CourierFixture {
  readonly nats: NatsHandle;
  /** New for every test. */
  readonly courier: TestCourier;
  untilState(id: string, state: MessageStatus['state']): Promise<unknown>;
  countInStream(): Promise<number>;
}

/** Gives every test of a `describe` a courier on the servers of this run. */
export function useCourier(): CourierFixture {
  let mongo: MongoConnection;
  let nats: NatsHandle;
  let courier: TestCourier;
  beforeAll(async () => {
    mongo = await testDatabase('courier');
    nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: new TestLog() });
  });
  beforeEach(async () => {
    courier = await TestCourier.create(mongo.db, nats.connection);
  });
  afterEach(() => courier.close());
  afterAll(async () => {
    await nats.close();
    await mongo.close();
  });
  return {
    get nats() {
      return nats;
    },
    get courier() {
      return courier;
    },
    untilState: (id, state) =>
      eventually(async () => (await courier.store.status(id)).state === state),
    async countInStream() {
      const { streams } = await manageJetStream(nats.connection);
      return (await streams.info(courier.stream.name)).state.messages;
    },
  };
}
