import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoServerError, type ClientSession, type MongoClient } from 'mongodb';
import { AppError } from '@daycare/api';
import { testDatabase } from '@daycare/testing';
import type { MongoConnection } from './connect-mongo';
import { abort, commit, inTransaction, retryTransaction } from './in-transaction';

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await testDatabase();
});
afterAll(() => mongo.close());

describe('inTransaction', () => {
  it('runs the work again when the server aborts the transaction during a command', async () => {
    const things = mongo.db.collection<{ _id: string }>('things');
    await things.insertOne({ _id: 'present' });
    let tries = 0;
    const outcome = await inTransaction(mongo.db.client, async (session) => {
      tries += 1;
      await things.insertOne({ _id: `try ${tries}` }, { session });
      // Longer than the server allows a transaction to last.
      if (tries === 1) await things.findOne({ $where: 'sleep(20000) || true' }, { session });
      return 'done';
    });
    expect(outcome).toBe('done');
    expect((await things.find().toArray()).map(({ _id }) => _id)).toEqual(['present', 'try 2']);
  });

  /** A client whose first commit is interrupted before or after it takes effect. */
  function interruptedClient(how: 'before' | 'after'): MongoClient {
    const withSession = <T>(work: (session: ClientSession) => Promise<T>): Promise<T> =>
      mongo.db.client.withSession((session) => {
        const commitOnce = session.commitTransaction.bind(session);
        let isInterrupted = false;
        session.commitTransaction = async () => {
          if (isInterrupted || how === 'after') await commitOnce();
          else await mongo.db.admin().command({ abortTransaction: 1 }, { session });
          if (!isInterrupted) {
            isInterrupted = true;
            throw new MongoServerError({ message: 'interrupted', code: 290 });
          }
        };
        return work(session);
      });
    return { withSession } as MongoClient;
  }

  it.each([
    ['before', 2],
    ['after', 1],
  ] as const)(
    'stores everything exactly once when the commit is interrupted %s it takes effect',
    async (how, runs) => {
      const things = mongo.db.collection<{ _id: string }>(`interrupted-${how}`);
      await mongo.db.createCollection(things.collectionName);
      let tries = 0;
      const outcome = await inTransaction(interruptedClient(how), async (session) => {
        tries += 1;
        await things.insertOne({ _id: `try ${tries}` }, { session });
        return 'done';
      });
      expect([outcome, tries]).toEqual(['done', runs]);
      expect(await things.distinct('_id')).toEqual([`try ${runs}`]);
    },
  );

  it('rethrows what its work throws and stores nothing', async () => {
    const others = mongo.db.collection<{ _id: string }>('others');
    await others.insertOne({ _id: 'present' });
    const failing = inTransaction(mongo.db.client, async (session) => {
      await others.insertOne({ _id: 'undone' }, { session });
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await others.countDocuments()).toBe(1);
  });
});

describe('retryTransaction', () => {
  it.each([
    { ending: commit, effect: 'stores both documents', stored: ['first', 'second'] },
    { ending: abort, effect: 'stores nothing', stored: [] },
  ])('returns the value passed to $ending.name and $effect', async ({ ending, stored }) => {
    const things = mongo.db.collection<{ _id: string }>(`things-${ending.name}`);
    const value = await retryTransaction(mongo.db.client, async (session) => {
      await things.insertOne({ _id: 'first' }, { session });
      await things.insertOne({ _id: 'second' }, { session });
      return ending('decided');
    });
    expect(value).toBe('decided');
    expect((await things.find().toArray()).map(({ _id }) => _id)).toEqual(stored);
  });

  it('leaves the client usable for the next transaction after an abort', async () => {
    const things = mongo.db.collection<{ _id: string }>('things-next');
    const insert = (_id: string, ending: typeof commit) =>
      retryTransaction(mongo.db.client, async (session) => {
        await things.insertOne({ _id }, { session });
        return ending(_id);
      });
    await insert('same', abort);
    await insert('same', commit);
    expect(await things.countDocuments()).toBe(1);
  });

  it('runs the work again when it throws CONFLICT, and stores nothing of the first try', async () => {
    const things = mongo.db.collection<{ _id: string }>('things-contended');
    let tries = 0;
    const value = await retryTransaction(mongo.db.client, async (session) => {
      tries += 1;
      await things.insertOne({ _id: `try ${tries}` }, { session });
      if (tries === 1) throw new AppError('CONFLICT', 'lost a race');
      return commit('done');
    });
    expect(value).toBe('done');
    expect(await things.distinct('_id')).toEqual(['try 2']);
  });
});
