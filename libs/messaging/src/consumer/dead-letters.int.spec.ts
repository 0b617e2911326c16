import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { ensureIndexes } from '@daycare/mongo';
import { eventually, testDatabase, uniqueName } from '@daycare/testing';
import { headers } from 'nats';
import { groupOf, subjectOf } from '../nats/system-stream';
import { withLostReceipts } from '../test-support/with-lost-receipts';
import { deadLetterIndexes, DeadLetterStore } from './failures/dead-letter-store';
import { draft, testSource } from '../test-support/fixtures';
import { useMessaging } from '../test-support/use-messaging';

describe('dead letters', () => {
  const on = useMessaging();

  it('buries a message that can never succeed and continues with the lane', async () => {
    const [refused, next] = [draft('lane', 'private words'), draft('lane')];
    on.messaging.consumer({
      handle: async (message) => {
        if (message.id === refused.id) throw new AppError('NOT_FOUND', 'User not found');
        await on.messaging.inbox.handle(message);
      },
    });
    await on.messaging.send(on.messaging.relay(), [refused, next]);
    await on.untilState(next.id, 'delivered');
    expect(await on.messaging.store.status(refused.id)).toMatchObject({
      state: 'dead',
      reason: 'User not found',
    });
    expect(on.messaging.inbox.buried).toMatchObject([
      { id: refused.id, code: 'NOT_FOUND', message: { text: 'private words' } },
    ]);
    expect(JSON.stringify(on.messaging.log.lines)).not.toContain('private words');
  });

  it('reports a dead message again when the first receipt was lost', async () => {
    let [lost, tries] = [0, 0];
    on.messaging.consumer({
      connection: withLostReceipts(on.nats.connection, () => ++lost === 1),
      handle: async (message) => {
        if (++tries === 1) throw new AppError('NOT_FOUND', 'User not found');
        await on.messaging.inbox.handle(message);
      },
    });
    const refused = draft('lane');
    await on.messaging.send(on.messaging.relay(), [refused]);
    await on.untilState(refused.id, 'dead');
    expect(on.messaging.inbox.buried).toHaveLength(1);
    expect(await on.messaging.inbox.ids()).toEqual([]);
  });

  it('buries a message after five failures that it may have caused', async () => {
    let tries = 0;
    on.messaging.consumer({
      handle: async () => {
        tries += 1;
        throw new Error('a bug');
      },
    });
    const failing = draft('lane');
    await on.messaging.send(on.messaging.relay(), [failing]);
    await on.untilState(failing.id, 'dead');
    expect(tries).toBe(5);
    expect(on.messaging.inbox.buried).toMatchObject([
      { code: 'INTERNAL', reason: 'Internal error' },
    ]);
  });

  it('retries without a limit while the consumer’s database is down', async () => {
    let tries = 0;
    on.messaging.consumer({
      handle: async (message) => {
        if (++tries < 8) throw new AppError('UNAVAILABLE', 'no primary');
        await on.messaging.inbox.handle(message);
      },
    });
    const delayed = draft('lane');
    await on.messaging.send(on.messaging.relay(), [delayed]);
    await on.untilState(delayed.id, 'delivered');
    expect(await on.messaging.inbox.ids()).toEqual([delayed.id]);
    expect(on.messaging.inbox.buried).toEqual([]);
  });

  it('buries a message that exceeds the delivery limit', async () => {
    on.messaging.consumer({ maxDeliveries: 0, handle: () => new Promise(() => undefined) });
    const fatal = draft('lane');
    await on.messaging.send(on.messaging.relay(), [fatal]);
    await on.untilState(fatal.id, 'dead');
  });

  it('retries until the dead letter is stored', async () => {
    let failures = 0;
    on.messaging.consumer({
      handle: () => Promise.reject(new AppError('PERMISSION_DENIED', 'Not allowed')),
      deadLetter: async (letter) => {
        if (++failures < 3) throw new Error('no space left');
        await on.messaging.inbox.deadLetter(letter);
      },
    });
    const refused = draft('lane');
    await on.messaging.send(on.messaging.relay(), [refused]);
    await on.untilState(refused.id, 'dead');
    expect(on.messaging.inbox.buried).toHaveLength(1);
  });

  it('buries an undecodable message together with its payload, and continues with others', async () => {
    on.messaging.consumer();
    const relay = on.messaging.relay();
    const [before, after] = [draft('lane'), draft('lane')];
    await on.messaging.send(relay, [before]);
    await on.untilState(before.id, 'delivered');
    const [poison, jetStream] = [uniqueName('poison'), on.nats.connection.jetstream()];
    const address = { group: groupOf({}), source: testSource, id: poison };
    const subject = subjectOf(on.messaging.stream, address);
    await jetStream.publish(subject, 'not protobuf', { msgID: poison, headers: headers() });
    await jetStream.publish(`${subject}-2`, new Uint8Array());
    await on.messaging.send(relay, [after]);
    await on.untilState(after.id, 'delivered');
    await eventually(() => on.messaging.inbox.buried.length === 2);
    const [letter, withoutId] = on.messaging.inbox.buried;
    expect(letter).toMatchObject({ id: poison, message: undefined, code: 'INVALID_ARGUMENT' });
    expect(Buffer.from(letter?.payload ?? []).toString()).toBe('not protobuf');
    expect(withoutId?.id).toMatch(new RegExp(`^${on.messaging.streamName}:\\d+$`));
    await eventually(async () => (await on.countInStream()) === 0);
  });
});

describe('the store of dead letters', () => {
  it('forgets letters after a month, including what people wrote in them', async () => {
    const mongo = await testDatabase('letters');
    const { db } = mongo;
    try {
      await ensureIndexes(db, [deadLetterIndexes]);
      const letter = { id: 'm1', payload: Buffer.from('words'), code: 'NOT_FOUND', reason: '' };
      await new DeadLetterStore(db).add(letter as never, new Date());
      const indexes = await db.collection('dead_letters').indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: 30 * 24 * 60 * 60 }),
      );
    } finally {
      await mongo.close();
    }
  });
});
