import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@daycare/contracts/access';
import { ReceiptBatch, ReceiptOutcome, SystemMessage } from '@daycare/contracts/common';
import { messageGroups, messageRoutes } from '@daycare/contracts/message-routes';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testNatsUrlOf, uniqueName } from '@daycare/testing';
import { connect, Events, headers, StorageType, type NatsConnection } from 'nats';
import { toConnectionOptions } from './nats/connection-options';
import {
  defineSystemStream,
  streamNameOf,
  subjectOf,
  subjectOfReceipts,
} from './nats/system-stream';
import { encodeBundle } from './outbox/queue/bundles';
import { OutboxStore } from './outbox/outbox-store';
import { outboxIndexes } from './outbox/rows/outbox-row';
import { startOutboxRelay } from './outbox/start-outbox-relay';
import { consumeSystemMessages } from './consumer/consume-system-messages';
import { draft, quickTiming, TestLog } from './test-support/fixtures';
import { TestInbox } from './test-support/test-inbox';

const services = ['identity', 'social-graph', 'agent-runtime', 'topology'] as const;
const stream = defineSystemStream({ prefix: uniqueName('rights'), duplicateWindowMs: 100 });
const { prefix } = stream;

describe('with the permissions of services in NATS', () => {
  const connections = new Map<ServiceName, NatsConnection>();
  const errors = new Map<ServiceName, string[]>();
  const log = new TestLog();
  const running: { stop(): Promise<void> }[] = [];
  let mongo: MongoConnection;
  let inbox: TestInbox;
  let outbox: OutboxStore;
  beforeAll(async () => {
    for (const service of services) {
      const connection = await connect(
        toConnectionOptions({ url: testNatsUrlOf(service), name: service }),
      );
      connections.set(service, connection);
      void collectErrors(service, connection);
    }
    mongo = await testDatabase('rights');
    await ensureIndexes(mongo.db, outboxIndexes);
    inbox = new TestInbox(mongo.db);
    outbox = new OutboxStore(mongo.db, 'social-graph');
    const common = { stream, logger: log, observer: {} };
    running.push(
      startOutboxRelay({ ...common, ...quickTiming, outbox, connection: as('social-graph') }),
      consumeSystemMessages({
        ...common,
        connection: as('agent-runtime'),
        group: 'agents',
        handler: inbox,
        deadLetter: inbox.deadLetter,
      }),
    );
    const first = draft('lane');
    await outbox.append([first]);
    await untilState(first.id, 'delivered');
  });
  afterAll(async () => {
    for (const part of running.reverse()) await part.stop();
    const { streams } = await as('agent-runtime').jetstreamManager({ checkAPI: false });
    await streams.delete(streamNameOf(stream, 'agents'));
    for (const connection of connections.values()) await connection.close();
    await mongo.close();
  });

  const as = (service: ServiceName): NatsConnection => {
    const connection = connections.get(service);
    if (!connection) throw new Error(`${service} is not connected`);
    return connection;
  };
  const collectErrors = async (service: ServiceName, connection: NatsConnection): Promise<void> => {
    errors.set(service, []);
    for await (const { type, permissionContext } of connection.status())
      if (type === Events.Error && permissionContext)
        errors.get(service)?.push(`${permissionContext.operation} ${permissionContext.subject}`);
  };
  const untilState = (id: string, state: string) =>
    eventually(async () => (await outbox.status(id)).state === state);
  /** Waits until the server has processed everything sent so far and has refused the operation. */
  const untilRefused = async (service: ServiceName, operation: string): Promise<boolean> => {
    await as(service).flush();
    return eventually(() => errors.get(service)?.includes(operation) ?? false);
  };
  const bundle = (message: SystemMessage) =>
    encodeBundle({
      messages: [
        {
          id: message.id,
          recipientUserId: 'bob',
          payload: SystemMessage.encode(message).finish(),
          predecessors: [],
          publications: 1,
        },
      ],
    });
  const forgery = (service: ServiceName, id = uniqueName('forged')) =>
    SystemMessage.create({ ...draft('lane', 'forged', id), source: service });

  it('services deliver messages and receipts to each other without any permission error', async () => {
    const message = draft('lane', 'my secret');
    await outbox.append([message]);
    await untilState(message.id, 'delivered');
    expect(await inbox.ids()).toContain(message.id);
    expect(errors.get('social-graph')).toEqual([]);
    expect(errors.get('agent-runtime')).toEqual([]);
  });

  it.each(services)('%s cannot subscribe to the messages of any service', async (service) => {
    const subjects = [
      '>',
      `${prefix}.>`,
      `${prefix}.messages.>`,
      ...messageGroups.map((group) => `${prefix}.messages.${group}.>`),
    ];
    for (const subject of subjects) {
      as(service).subscribe(subject);
      expect(await untilRefused(service, `subscription ${subject}`)).toBe(true);
    }
  });

  it('a service cannot subscribe to other services’ receipts, live updates or responses', async () => {
    const foreign = [
      `${prefix}.receipts.social-graph.*`,
      `${prefix}.receipts.>`,
      `${prefix}.live.*.*`,
      '_INBOX.>',
      '_INBOX_agent-runtime.>',
      '$JS.ACK.>',
      '$JS.API.>',
    ];
    for (const subject of foreign) {
      as('topology').subscribe(subject);
      expect(await untilRefused('topology', `subscription ${subject}`)).toBe(true);
    }
  });

  it('a service cannot read, change or delete another service’s stream', async () => {
    const name = streamNameOf(stream, 'agents');
    const { streams, consumers } = await as('topology').jetstreamManager({
      checkAPI: false,
      timeout: 1_000,
    });
    // A service may use any stream name here, but its account contains only its own streams.
    await expect(streams.info(name)).rejects.toThrow('stream not found');
    await expect(streams.delete(name)).rejects.toThrow('stream not found');
    await expect(streams.getMessage(name, { seq: 1 })).rejects.toThrow();
    await expect(consumers.add(name, { durable_name: 'spy' })).rejects.toThrow();
  });

  it('a stream that copies another service’s stream, or captures its subjects, stays empty', async () => {
    const name = uniqueName('spy');
    const { streams } = await as('topology').jetstreamManager({ checkAPI: false, timeout: 2_000 });
    await streams.add({
      name,
      storage: StorageType.Memory,
      subjects: [`${prefix}.messages.agents.>`, `${prefix}.receipts.>`],
      sources: [{ name: streamNameOf(stream, 'agents') }],
    });
    const message = draft('lane', 'my secret');
    await outbox.append([message]);
    await untilState(message.id, 'delivered');
    expect((await streams.info(name)).state.messages).toBe(0);
    await streams.delete(name);
  });

  it.each(services.filter((service) => service !== 'agent-runtime'))(
    '%s cannot forge a receipt from agent-runtime',
    async (service) => {
      const waiting = draft(`held-${service}`);
      await mongo.db.collection('outbox').insertOne({ _id: waiting.id, open: true } as never);
      const receipt = { messageId: waiting.id, outcome: ReceiptOutcome.DELIVERED };
      const payload = ReceiptBatch.encode(
        ReceiptBatch.fromPartial({ receipts: [receipt] }),
      ).finish();
      const subject = subjectOfReceipts(stream, {
        source: 'social-graph',
        consumer: 'agent-runtime',
      });
      as(service).publish(subject, payload);
      expect(await untilRefused(service, `publish ${subject}`)).toBe(true);
      expect((await outbox.status(waiting.id)).state).toBe('accepted');
      await mongo.db.collection('outbox').deleteOne({ _id: waiting.id } as never);
    },
  );

  it('a receipt settles a message only if it comes from the service that the message was sent to', async () => {
    const identityOutbox = new OutboxStore(mongo.db, 'identity');
    const target = { $case: 'service', value: 'social-graph' } as const;
    const message = { ...draft('lane-of-identity'), recipient: { userId: 'bob', target } };
    await identityOutbox.append([message]);
    const relay = startOutboxRelay({
      outbox: identityOutbox,
      connection: as('identity'),
      stream,
      logger: log,
      observer: {},
      ...quickTiming,
    });
    const receipt = { messageId: message.id, outcome: ReceiptOutcome.DELIVERED, forService: true };
    const payload = ReceiptBatch.encode(ReceiptBatch.fromPartial({ receipts: [receipt] })).finish();
    const send = (consumer: ServiceName): void =>
      as(consumer).publish(subjectOfReceipts(stream, { source: 'identity', consumer }), payload);
    send('topology');
    send('agent-runtime');
    for (const consumer of ['topology', 'agent-runtime'] as const) await as(consumer).flush();
    await as('identity').flush();
    expect((await identityOutbox.status(message.id)).state).toBe('accepted');
    await eventually(async () => {
      send('social-graph');
      return (await identityOutbox.status(message.id)).state === 'delivered';
    });
    await relay.stop();
  });

  it.each(services)(
    '%s cannot publish a message in the name of another service',
    async (service) => {
      const others = messageGroups.flatMap((group) =>
        messageRoutes[group].from
          .filter((from) => from !== service)
          .map((from) => ({ group, from })),
      );
      for (const { group, from } of others) {
        const message = forgery(from);
        const subject = subjectOf(stream, { group, source: from, id: message.id });
        as(service).publish(subject, bundle(message));
        expect(await untilRefused(service, `publish ${subject}`)).toBe(true);
      }
      expect((await inbox.ids()).filter((id) => id.startsWith('forged'))).toEqual([]);
    },
  );

  it('a friend message that topology sends under its own name is refused by the consumer', async () => {
    const forged = [forgery('topology'), forgery('social-graph')];
    for (const message of forged) {
      const subject = subjectOf(stream, { group: 'agents', source: 'topology', id: message.id });
      const forgedHeaders = headers();
      forgedHeaders.set('Daycare-Source', 'social-graph');
      await as('topology')
        .jetstream()
        .publish(subject, bundle(message), { headers: forgedHeaders });
    }
    await eventually(() => log.messages().filter((line) => line.includes('forged')).length === 2);
    const stored = await inbox.ids();
    expect(forged.filter(({ id }) => stored.includes(id))).toEqual([]);
    expect(inbox.buried).toEqual([]);
  });
});
