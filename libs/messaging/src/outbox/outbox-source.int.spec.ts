import os from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes } from '@daycare/mongo';
import { eventually, testMongoUrl, uniqueName } from '@daycare/testing';
import { MongoClient, type Db, type Document } from 'mongodb';
import { draft, testSource } from '../test-support/fixtures';
import { outboxIndexes } from './rows/outbox-row';
import { OutboxSource } from './outbox-source';
import { OutboxStore } from './outbox-store';

const never = new Date(0);
const later = (ms: number) => new Date(Date.now() + ms);
const due = (now = later(1), republishBefore = never) => ({ now, republishBefore });
const delivered = (id: string) => ({ id, outcome: 'delivered' }) as const;

describe('OutboxSource', () => {
  let client: MongoClient;
  let db: Db;
  let store: OutboxStore;
  let source: OutboxSource;

  beforeAll(async () => {
    client = await new MongoClient(testMongoUrl(), {
      monitorCommands: true,
      // Passed in because the driver would load it with import(), which Jest does not support.
      runtimeAdapters: { os },
    }).connect();
  });
  beforeEach(async () => {
    db = client.db(uniqueName('outbox'));
    await ensureIndexes(db, outboxIndexes);
    store = new OutboxStore(db, testSource);
    source = new OutboxSource(db, {
      republishAfterMs: 15_000,
      maxRepublishAfterMs: 60_000,
      receiptTtlMs: 60_000,
    });
  });
  afterEach(() => db.dropDatabase());
  afterAll(() => client.close());

  const append = async (count: number, lane = uniqueName('lane')): Promise<string[]> => {
    const drafts = Array.from({ length: count }, () => draft(lane));
    await store.append(drafts);
    return drafts.map(({ id }) => id);
  };
  const claim = async (at = due(), limit = 100): Promise<string[]> =>
    (await source.claimDue(at, limit)).map(({ id }) => id).sort();
  const expectNothingDue = (at = due()) =>
    eventually(async () => (await source.claimDue(at, 100)).length === 0);

  it('gives each row to only one of many relays', async () => {
    const ids = await append(20);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim()));
    expect(claims.flat().sort()).toEqual([...ids].sort());
  });

  it('returns no more rows at a time than requested', async () => {
    await append(5);
    expect(await source.claimDue(due(), 3)).toHaveLength(3);
  });

  it('doubles the wait after every publication without a receipt, up to a maximum', async () => {
    const [id] = (await append(1)) as [string];
    const rows = db.collection<{ _id: string; nextAttemptAt: Date }>('outbox');
    let now = new Date();
    const waitsMs: number[] = [];
    for (let publication = 1; publication <= 4; publication++) {
      const [message] = await source.claimDue(due(now), 100);
      expect(message?.publications).toBe(publication);
      await expectNothingDue(due(now));
      const row = await rows.findOne({ _id: id });
      waitsMs.push((row?.nextAttemptAt.getTime() ?? 0) - now.getTime());
      now = row?.nextAttemptAt ?? now;
    }
    expect(waitsMs).toEqual([15_000, 30_000, 60_000, 60_000]);
  });

  it('makes rows published before a reconnection due again and counts their publications from one', async () => {
    const [id] = (await append(1)) as [string];
    await claim();
    await expectNothingDue();
    const afterReconnection = due(later(2_000), later(1_000));
    const [again] = await source.claimDue(afterReconnection, 100);
    expect(again).toMatchObject({ id, publications: 1 });
    await expectNothingDue(afterReconnection);
  });

  it('returns a released row again at the requested time', async () => {
    const [id] = (await append(1)) as [string];
    await claim();
    await source.release([id], later(500));
    await expectNothingDue();
    expect(await claim(due(later(1_000)))).toEqual([id]);
  });

  it('does not return rows whose receipt has arrived', async () => {
    const [first, second] = (await append(2)) as [string, string];
    await source.settle([delivered(first)], new Date());
    expect(await claim()).toEqual([second]);
    expect(await source.findOpen([first, second, 'unknown'])).toEqual(new Set([second]));
  });

  it('counts a receipt only once, and ignores receipts for unknown messages', async () => {
    const [id] = (await append(1)) as [string];
    const outcomes = [delivered(id), delivered('unknown')];
    expect(await source.settle(outcomes, new Date())).toMatchObject({ settled: 1 });
    expect(await source.settle(outcomes, new Date())).toMatchObject({ settled: 0 });
    expect(await store.status('unknown')).toEqual({ state: 'unknown' });
  });

  it('makes the next message to a service due when the receipt of the previous one arrives', async () => {
    const lane = uniqueName('lane');
    const [first, second] = (await append(2, lane)) as [string, string];
    await claim();
    await expectNothingDue();
    const receipt = { ...delivered(first), isForService: true };
    expect(await source.settle([receipt], new Date())).toEqual({ settled: 1, hasReleased: true });
    await eventually(async () => (await claim()).includes(second));
  });

  it('uses an index for every query', async () => {
    const lane = uniqueName('lane');
    const commands: Document[] = [];
    client.on('commandStarted', ({ command }) => commands.push(command));
    const [id] = (await append(2, lane)) as [string];
    await store.openTailOf(lane);
    await store.status(id);
    await source.backlog();
    await source.claimDue(due(later(2_000), later(1_000)), 10);
    await source.release([id], never);
    await source.claimDue(due(), 10);
    await source.findOpen([id]);
    await source.settle([{ ...delivered(id), isForService: true }], new Date());
    client.removeAllListeners('commandStarted');
    const queries = commands.flatMap(toExplainable);
    const scanning = [];
    for (const query of queries) {
      const plan = JSON.stringify(
        await db.command({ explain: query, verbosity: 'executionStats' }),
      );
      if (/COLLSCAN|"stage":"SORT"|"collectionScans":[1-9]/.test(plan)) scanning.push(query);
    }
    expect(scanning).toEqual([]);
    expect(queries.length).toBeGreaterThanOrEqual(14);
  });

  it('reads at most two index entries per lane to append, however long the lane is', async () => {
    const lanes = Array.from({ length: 5 }, () => uniqueName('lane'));
    for (const lane of lanes) await append(100, lane);
    const commands: Document[] = [];
    client.on('commandStarted', ({ command }) => commands.push(command));
    await new OutboxStore(db, testSource).append(lanes.map((lane) => draft(lane)));
    client.removeAllListeners('commandStarted');
    const lookUp = commands.flatMap(toExplainable)[0]!;
    const plan = await db.command({ explain: lookUp, verbosity: 'executionStats' });
    const [, keys] = /"totalKeysExamined":(\d+)/.exec(JSON.stringify(plan)) ?? [];
    expect(Number(keys)).toBeLessThanOrEqual(2 * lanes.length);
    expect(commands.map((command) => Object.keys(command)[0])).toEqual(['aggregate', 'insert']);
  });
});

/**
 * The queries of a command, each as `explain` accepts it: a command with several writes is explained write by
 * write.
 */
function toExplainable(command: Document): Document[] {
  const { find, aggregate, update } = command;
  if (find) return [pick(command, ['find', 'filter', 'sort', 'limit', 'projection'])];
  if (aggregate) return [pick(command, ['aggregate', 'pipeline', 'cursor'])];
  if (update) return command['updates'].map((write: Document) => ({ update, updates: [write] }));
  return [];
}

function pick(command: Document, keys: readonly string[]): Document {
  return Object.fromEntries(keys.filter((key) => key in command).map((key) => [key, command[key]]));
}
