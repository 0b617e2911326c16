import os from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MongoConnection } from '@daycare/mongo';
import { MongoClient, type Collection } from 'mongodb';
import { eventually } from '../eventually';
import { testDatabase } from '../test-servers';
import { startMongoProxy } from './mongo-proxy';
import type { WireProxy } from './wire-proxy';

describe('a proxy in front of MongoDB', () => {
  let proxy: WireProxy;
  let direct: MongoConnection;
  let client: MongoClient;
  beforeEach(async () => {
    proxy = await startMongoProxy();
    direct = await testDatabase('proxy');
    client = await connect();
  });
  afterEach(async () => {
    await client.close();
    await proxy.close();
    await direct.close();
  });

  /** Connects a client without retries. */
  const connect = (): Promise<MongoClient> =>
    MongoClient.connect(proxy.url, {
      retryWrites: false,
      retryReads: false,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    });
  const things = (sender: MongoClient = client): Collection =>
    sender.db(direct.db.databaseName).collection('things');
  const stored = () => direct.db.collection('things').countDocuments();
  const insert = (sender?: MongoClient) => things(sender).insertOne({ name: 'a' });
  const insertInTransaction = () =>
    client.withSession(async (session) => {
      session.startTransaction();
      await things().insertOne({ name: 'b' }, { session });
      await session.commitTransaction();
    });

  it('reports the client’s steps, transactions included, and lets them pass', async () => {
    await insert();
    proxy.record();
    await insertInTransaction();
    await things().find().toArray();
    await things().find().batchSize(1).toArray();
    await client.db().command({ ping: 1 });
    expect(proxy.steps()).toEqual([
      'insert things',
      'commitTransaction',
      'find things',
      'find things',
      'getMore things',
      'getMore things',
    ]);
    expect(await stored()).toBe(2);
  });

  it('a trap before a step holds back the request, which the server never receives', async () => {
    await insert();
    let storedAtTrap: Promise<number> | undefined;
    const trap = proxy.trap({ label: 'insert things', when: 'before' }, () => {
      storedAtTrap = stored();
    });
    expect(trap.isSprung).toBe(false);
    await expect(insert()).rejects.toThrow(/closed/);
    expect(trap.isSprung).toBe(true);
    expect(await storedAtTrap).toBe(1);
    expect(await stored()).toBe(1);
  });

  it('a trap after a step holds back the response after the server has done the work', async () => {
    await insert();
    let storedAtTrap: Promise<number> | undefined;
    const trap = proxy.trap({ label: 'commitTransaction', when: 'after' }, () => {
      storedAtTrap = stored();
    });
    // The driver itself retries a commit.
    await insertInTransaction();
    expect(trap.isSprung).toBe(true);
    expect(await storedAtTrap).toBe(2);
  });

  it('a trap springs only once, at the requested occurrence of its step', async () => {
    await insert();
    let timesSprung = 0;
    const trap = { label: 'insert things', when: 'before', occurrence: 2 } as const;
    proxy.trap(trap, () => (timesSprung += 1));
    await insert();
    await expect(insert()).rejects.toThrow(/closed/);
    await insert();
    await insert();
    expect(timesSprung).toBe(1);
    expect(await stored()).toBe(4);
  });

  it('holds back one request while others pass, and never forwards it', async () => {
    const hold = proxy.hold({ label: 'insert things', when: 'before', occurrence: 2 });
    await insert();
    expect(hold.isHeld).toBe(false);
    const held = insert().catch((error: unknown) => error);
    await eventually(() => hold.isHeld);
    await insert();
    expect(await stored()).toBe(2);
    hold.release();
    proxy.trap({ label: 'insert things', when: 'before' }, () => undefined);
    await expect(insert()).rejects.toThrow(/closed/);
    expect(String(await held)).toMatch(/closed/);
    expect(await stored()).toBe(2);
  });

  it('holds back one response after the server has done the work, while others pass', async () => {
    const hold = proxy.hold({ label: 'insert things', when: 'after' });
    let isAnswered = false;
    const held = insert()
      .then(() => (isAnswered = true))
      .catch(() => undefined);
    await eventually(() => hold.isHeld);
    await insert();
    expect(await stored()).toBe(2);
    expect(isAnswered).toBe(false);
    await client.close(true);
    await held;
    expect(isAnswered).toBe(false);
  });

  it('lets everything pass once the trap is disarmed', async () => {
    const trap = proxy.trap({ label: 'insert things', when: 'before' }, () => undefined);
    trap.disarm();
    await insert();
    expect(trap.isSprung).toBe(false);
    expect(await stored()).toBe(1);
  });

  it('closes all connections when a trap springs, and serves later ones', async () => {
    const otherClient = await connect();
    await insert(otherClient);
    let closedConnections = 0;
    otherClient.on('connectionClosed', () => (closedConnections += 1));
    proxy.trap({ label: 'insert things', when: 'before' }, () => undefined);
    await expect(insert()).rejects.toThrow(/closed/);
    await eventually(() => closedConnections > 0);
    await insert(otherClient);
    await otherClient.close();
    expect(await stored()).toBe(2);
  });
});
