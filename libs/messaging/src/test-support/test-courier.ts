import { ensureIndexes } from '@daycare/mongo';
import type { Db } from 'mongodb';
import type { NatsConnection } from 'nats';
import {
  consumeSystemMessages,
  type ConsumerOptions,
  type SystemMessageConsumer,
} from '../consume-system-messages';
import type { MessageDraft } from '../message-draft';
import { outboxIndexes } from '../outbox-row';
import { OutboxStore } from '../outbox-store';
import {
  startOutboxRelay,
  type OutboxRelayHandle,
  type OutboxRelayOptions,
} from '../start-outbox-relay';
import type { SystemStream } from '../system-stream';
import { TestInbox } from './test-inbox';
import { quick, TestLog, testSource, testStream } from './test-parts';

/** One sender's outbox and one recipient's inbox, with as many relays and consumers as a test likes. */
export class TestCourier {
  readonly log = new TestLog();
  readonly stream: SystemStream = testStream();
  readonly store: OutboxStore;
  readonly inbox: TestInbox;
  readonly #running: { stop(): Promise<void> }[] = [];

  private constructor(
    private readonly db: Db,
    private readonly connection: NatsConnection,
  ) {
    this.store = new OutboxStore(db, testSource);
    this.inbox = new TestInbox(db);
  }

  static async create(db: Db, connection: NatsConnection): Promise<TestCourier> {
    await ensureIndexes(db, outboxIndexes);
    return new TestCourier(db, connection);
  }

  relay(options: Partial<OutboxRelayOptions> = {}): OutboxRelayHandle {
    const { db, connection, stream, log } = this;
    const relay = startOutboxRelay({
      db,
      connection,
      stream,
      source: testSource,
      logger: log,
      ...quick,
      ...options,
    });
    this.#running.push(relay);
    return relay;
  }

  consumer(options: Partial<ConsumerOptions> = {}): SystemMessageConsumer {
    const { connection, stream, log, inbox } = this;
    const consumer = consumeSystemMessages({
      connection,
      stream,
      durable: 'agent-runtime',
      handle: inbox.handle,
      deadLetter: inbox.deadLetter,
      logger: log,
      retry: { firstMs: 10, maxMs: 50 },
      ackWaitMs: 1_000,
      ...options,
    });
    this.#running.push(consumer);
    return consumer;
  }

  async send(relay: OutboxRelayHandle, drafts: readonly MessageDraft[]): Promise<void> {
    await this.store.append(drafts);
    relay.wake(drafts.map(({ lane }) => lane));
  }

  /** Stops everything that was started and removes the stream. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map((one) => one.stop()));
    const { streams } = await this.connection.jetstreamManager();
    await streams.delete(this.stream.name).catch(() => undefined);
  }
}
