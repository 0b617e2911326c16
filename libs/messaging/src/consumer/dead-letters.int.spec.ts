import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { ensureIndexes } from '@daycare/mongo';
import { eventually, testDatabase, uniqueName } from '@daycare/testing';
import type { Collection } from 'mongodb';
import { headers } from 'nats';
import { groupOf, subjectOf } from '../nats/system-stream';
import { withLostReceipts } from '../test-support/with-lost-receipts';
import { deadLetterIndexes, DeadLetterStore } from './failures/dead-letter-store';
import { draft, testSource } from '../test-support/fixtures';
import { useMessaging } from '../test-support/use-messaging';

describe('a consumer that cannot handle a message', () => {
  const stage = useMessaging();

  it('buries a message that can never be handled, and continues with the lane', async () => {
    const [refused, next] = [draft('lane', 'private words'), draft('lane')];
    stage.messaging.consumer({
      handle: async (message) => {
        if (message.id === refused.id) throw new AppError('NOT_FOUND', 'User not found');
        await stage.messaging.inbox.handle(message);
      },
    });
    await stage.messaging.send(stage.messaging.relay(), [refused, next]);
    await stage.untilState(next.id, 'delivered');
    expect(await stage.messaging.store.status(refused.id)).toMatchObject({
      state: 'dead',
      reason: 'User not found',
    });
    expect(stage.messaging.inbox.buried).toMatchObject([
      { id: refused.id, code: 'NOT_FOUND', message: { text: 'private words' } },
    ]);
    expect(JSON.stringify(stage.messaging.log.lines)).not.toContain('private words');
  });

  it('reports a dead letter to the sender again when the first receipt was lost', async () => {
    let [receipts, tries] = [0, 0];
    stage.messaging.consumer({
      connection: withLostReceipts(stage.nats.connection, () => ++receipts === 1),
      handle: async (message) => {
        if (++tries === 1) throw new AppError('NOT_FOUND', 'User not found');
        await stage.messaging.inbox.handle(message);
      },
    });
    const refused = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [refused]);
    await stage.untilState(refused.id, 'dead');
    expect(stage.messaging.inbox.buried).toHaveLength(1);
    expect(await stage.messaging.inbox.ids()).toEqual([]);
  });

  it('buries a message after five failures that it may have caused', async () => {
    let tries = 0;
    stage.messaging.consumer({
      handle: async () => {
        tries += 1;
        throw new Error('a bug');
      },
    });
    const failing = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [failing]);
    await stage.untilState(failing.id, 'dead');
    expect(tries).toBe(5);
    expect(stage.messaging.inbox.buried).toMatchObject([
      { code: 'INTERNAL', reason: 'Internal error' },
    ]);
  });

  it('retries more than five times while the consumer’s database is down', async () => {
    let tries = 0;
    stage.messaging.consumer({
      handle: async (message) => {
        if (++tries < 8) throw new AppError('UNAVAILABLE', 'no primary');
        await stage.messaging.inbox.handle(message);
      },
    });
    const delayed = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [delayed]);
    await stage.untilState(delayed.id, 'delivered');
    expect(await stage.messaging.inbox.ids()).toEqual([delayed.id]);
    expect(stage.messaging.inbox.buried).toEqual([]);
  });

  it('buries a message that exceeds the delivery limit', async () => {
    stage.messaging.consumer({ maxDeliveries: 0, handle: () => new Promise(() => undefined) });
    const fatal = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [fatal]);
    await stage.untilState(fatal.id, 'dead');
  });

  it('retries storing a dead letter until it is stored', async () => {
    let attempts = 0;
    stage.messaging.consumer({
      handle: () => Promise.reject(new AppError('PERMISSION_DENIED', 'Not allowed')),
      deadLetter: async (letter) => {
        if (++attempts < 3) throw new Error('no space left');
        await stage.messaging.inbox.deadLetter(letter);
      },
    });
    const refused = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [refused]);
    await stage.untilState(refused.id, 'dead');
    expect(stage.messaging.inbox.buried).toHaveLength(1);
  });

  it('buries an undecodable message together with its payload, and continues with other messages', async () => {
    stage.messaging.consumer();
    const relay = stage.messaging.relay();
    const [before, after] = [draft('lane'), draft('lane')];
    await stage.messaging.send(relay, [before]);
    await stage.untilState(before.id, 'delivered');
    const [poison, jetStream] = [uniqueName('poison'), stage.nats.connection.jetstream()];
    const address = { group: groupOf({}), source: testSource, id: poison };
    const subject = subjectOf(stage.messaging.stream, address);
    await jetStream.publish(subject, 'not protobuf', { msgID: poison, headers: headers() });
    await jetStream.publish(`${subject}-2`, new Uint8Array());
    await stage.messaging.send(relay, [after]);
    await stage.untilState(after.id, 'delivered');
    await eventually(() => stage.messaging.inbox.buried.length === 2);
    const [letter, withoutId] = stage.messaging.inbox.buried;
    expect(letter).toMatchObject({ id: poison, message: undefined, code: 'INVALID_ARGUMENT' });
    expect(Buffer.from(letter?.payload ?? []).toString()).toBe('not protobuf');
    expect(withoutId?.id).toMatch(new RegExp(`^${stage.messaging.streamName}:\\d+$`));
    await eventually(async () => (await stage.countInStream()) === 0);
  });
});

/** Stands in for MongoDB, which once a minute deletes what has expired according to the collection's index. */
async function deleteExpired(letters: Collection): Promise<void> {
  for (const { key, expireAfterSeconds } of await letters.indexes()) {
    if (expireAfterSeconds === undefined) continue;
    const [field = ''] = Object.keys(key);
    const expired = new Date(Date.now() - expireAfterSeconds * 1000);
    await letters.deleteMany({ [field]: { $lte: expired } });
  }
}

describe('DeadLetterStore', () => {
  it('keeps a dead letter, including its message, for thirty days', async () => {
    const mongo = await testDatabase('letters');
    const { db } = mongo;
    try {
      await ensureIndexes(db, [deadLetterIndexes]);
      const store = new DeadLetterStore(db);
      const add = (id: string, atMs: number) => {
        const letter = { message: undefined, payload: Buffer.from(`words of ${id}`) };
        return store.add({ id, ...letter, code: 'NOT_FOUND', reason: '' }, new Date(atMs));
      };
      const thirtyDaysAgo = Date.now() - 30 * 24 * 60 * 60 * 1000;
      await add('old', thirtyDaysAgo);
      await add('new', thirtyDaysAgo + 60 * 60 * 1000);
      const letters = db.collection('dead_letters');
      await deleteExpired(letters);
      const left = await letters.find().toArray();
      expect(left.map(({ payload }) => String(payload.buffer))).toEqual(['words of new']);
    } finally {
      await mongo.close();
    }
  });
});
