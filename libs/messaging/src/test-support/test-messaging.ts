import { ensureIndexes } from '@daycare/mongo';
import type { Db } from 'mongodb';
import {
  consumeSystemMessages,
  type ConsumerOptions,
  type SystemMessageConsumer,
} from '../consumer/consume-system-messages';
import { oneByOne, type HandleMessage } from '../consumer/one-by-one';
import type { CountInInboxes } from '../outbox/rows/waiting-counter';
import type { MessageDraft } from '../outbox/rows/message-draft';
import { outboxIndexes } from '../outbox/rows/outbox-row';
import { OutboxStore } from '../outbox/outbox-store';
import {
  startOutboxRelay,
  type OutboxRelayHandle,
  type OutboxRelayOptions,
} from '../outbox/start-outbox-relay';
import { ensureSystemStream } from '../nats/ensure-stream';
import type { NatsLink } from '../nats/nats-link';
import { durableNameOf, streamNameOf, type SystemStream } from '../nats/system-stream';
import { newGate, type Gate } from './gate';
import { TestInbox } from './test-inbox';
import { quickTiming, TestLog, testSource, testStream } from './fixtures';

/** A replica of the sender: its outbox with a relay. */
export interface Sender extends OutboxRelayHandle {
  readonly outbox: OutboxStore;
}

export interface TestRelayOptions extends Partial<OutboxRelayOptions> {
  readonly db?: Db;
  readonly countInInboxes?: CountInInboxes;
}

/** With `handle` instead of `handler`, messages are handled one by one. */
export type TestConsumerOptions = Partial<ConsumerOptions> & { readonly handle?: HandleMessage };

/** One sender's outbox and one recipient's inbox, with any number of relays and consumers. */
export class TestMessaging {
  readonly log = new TestLog();
  readonly stream: SystemStream = testStream();
  /** The name of the stream with the messages for agents. */
  readonly streamName = streamNameOf(this.stream, 'agents');
  /** An outbox without a relay. */
  readonly store: OutboxStore;
  readonly inbox: TestInbox;
  readonly #running: { stop(): Promise<void> }[] = [];
  readonly #gates: Gate[] = [];

  private constructor(
    private readonly db: Db,
    private readonly connection: NatsLink,
  ) {
    this.store = new OutboxStore(db, testSource);
    this.inbox = new TestInbox(db);
  }

  static async create(db: Db, connection: NatsLink): Promise<TestMessaging> {
    await ensureIndexes(db, outboxIndexes);
    const messaging = new TestMessaging(db, connection);
    await ensureSystemStream(connection, messaging.stream, 'agents');
    return messaging;
  }

  relay({ db = this.db, countInInboxes, ...options }: TestRelayOptions = {}): Sender {
    const { connection, stream, log } = this;
    const outbox = new OutboxStore(db, testSource, countInInboxes);
    const relay = startOutboxRelay({
      outbox,
      connection,
      stream,
      logger: log,
      observer: {},
      ...quickTiming,
      ...options,
    });
    this.#running.push(relay);
    return { ...relay, outbox };
  }

  consumer({ handle, ...options }: TestConsumerOptions = {}): SystemMessageConsumer {
    const { connection, stream, log, inbox } = this;
    const consumer = consumeSystemMessages({
      connection,
      stream,
      group: 'agents',
      handler: handle ? oneByOne(handle, inbox) : inbox,
      deadLetter: inbox.deadLetter,
      logger: log,
      observer: {},
      retry: { firstMs: 10, maxMs: 50 },
      ackWaitMs: 1_000,
      ...options,
    });
    this.#running.push(consumer);
    return consumer;
  }

  /** Creates a gate for a handler; `close` opens it, because a consumer stops only when its handler has ended. */
  newGate(): Gate {
    const gate = newGate();
    this.#gates.push(gate);
    return gate;
  }

  async send({ outbox }: Sender, drafts: readonly MessageDraft[]): Promise<void> {
    await outbox.append(drafts);
  }

  /** The name of the durable consumer on the current stream; a missing stream is created. */
  async durable(): Promise<string> {
    const incarnation = await ensureSystemStream(this.connection, this.stream, 'agents');
    return durableNameOf('agents', incarnation);
  }

  /** How many messages are waiting for their receipts. */
  async countOpen(): Promise<number> {
    return this.db.collection('outbox').countDocuments({ open: true });
  }

  /** Changes a row without the relay's knowledge. */
  async updateRow(id: string, fields: object): Promise<void> {
    await this.db.collection<{ _id: string }>('outbox').updateOne({ _id: id }, { $set: fields });
  }

  /** Stops everything that was started and removes the stream. */
  async close(): Promise<void> {
    for (const gate of this.#gates) gate.open();
    await Promise.all(this.#running.map((part) => part.stop()));
    const { streams } = await this.connection.jetstreamManager();
    await streams.delete(this.streamName).catch(() => undefined);
  }
}
