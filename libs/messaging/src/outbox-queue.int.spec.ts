import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureIndexes } from '@daycare/mongo';
import { eventually, testMongoUrl, uniqueName } from '@daycare/testing';
import { MongoClient, type Db, type Document } from 'mongodb';
import { OutboxQueue } from './outbox-queue';
import { outboxIndexes } from './outbox-row';
import { OutboxStore } from './outbox-store';
import { draft, testSource } from './test-support/test-parts';

const never = new Date(0);
const later = (ms: number) => new Date(Date.now() + ms);
const due = (now = later(1), republishBefore = never) => ({ now, republishBefore });

describe('OutboxQueue', () => {
  let client: MongoClient;
  let db: Db;
  let store: OutboxStore;
  let queue: OutboxQueue;

  beforeAll(async () => {
    client = await new MongoClient(testMongoUrl(), {
      monitorCommands: true,
      // Jest cannot load modules on demand, as the driver would.
      runtimeAdapters: { os },
    }).connect();
    db = client.db(uniqueName('outbox'));
    await ensureIndexes(db, outboxIndexes);
    store = new OutboxStore(db, testSource);
    queue = new OutboxQueue(db, {
      republishAfterMs: 15_000,
      maxRepublishAfterMs: 60_000,
      receiptTtlMs: 60_000,
    });
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  const heads = async (lanes: readonly string[], at = due()): Promise<string[]> => {
    const ids: string[] = [];
    for await (const id of queue.findDueHeads(at, lanes)) ids.push(id);
    return ids.sort();
  };
  // A claim is not waited for by a majority, so a reader of what a majority has may see it later.
  const expectHeads = (expected: readonly string[], lanes: readonly string[], at = due()) =>
    eventually(async () => {
      expect(await heads(lanes, at)).toEqual(expected);
      return true;
    });
  const appendTo = async (lane: string, count: number): Promise<string[]> => {
    const drafts = Array.from({ length: count }, () => draft(lane));
    await store.append(drafts);
    return drafts.map(({ id }) => id);
  };

  it('shows only the head of a lane, and the next one when that has its receipt', async () => {
    const [a, b] = [uniqueName('a'), uniqueName('b')];
    const [first, second] = (await appendTo(a, 3)) as [string, string];
    const [other] = (await appendTo(b, 2)) as [string];
    expect(await heads([a, b])).toEqual([first, other].sort());
    await queue.settle([{ id: first, outcome: 'delivered' }], new Date());
    expect(await heads([a, b])).toEqual([second, other].sort());
  });

  it('gives a row to one of many relays', async () => {
    const lanes = Array.from({ length: 20 }, () => uniqueName('lane'));
    const ids = (await Promise.all(lanes.map((lane) => appendTo(lane, 1)))).flat();
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, relay) => queue.claim(ids, due(), `relay${relay}`)),
    );
    expect(
      claims
        .flat()
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('waits twice as long after every publication without a receipt, up to a limit', async () => {
    const lane = uniqueName('lane');
    const [id] = (await appendTo(lane, 1)) as [string];
    let now = new Date();
    const waitsMs: number[] = [];
    for (let publication = 1; publication <= 4; publication++) {
      const [row] = await queue.claim([id], due(now), `claim${publication}`);
      expect(row?.publications).toBe(publication);
      await expectHeads([], [lane], due(now));
      waitsMs.push((row?.nextAttemptAt.getTime() ?? 0) - now.getTime());
      now = row?.nextAttemptAt ?? now;
    }
    expect(waitsMs).toEqual([15_000, 30_000, 60_000, 60_000]);
  });

  it('starts anew with what was published before a reconnection', async () => {
    const lane = uniqueName('lane');
    const [id] = (await appendTo(lane, 1)) as [string];
    await queue.claim([id], due(), 'before');
    const anew = due(later(2_000), later(1_000));
    await expectHeads([], [lane]);
    await expectHeads([id], [lane], anew);
    const [row] = await queue.claim([id], anew, 'after');
    expect(row?.publications).toBe(1);
    await expectHeads([], [lane], anew);
  });

  it('takes back what could not be published, unless somebody else has it by now', async () => {
    const lane = uniqueName('lane');
    const [id] = (await appendTo(lane, 1)) as [string];
    await queue.claim([id], due(), 'mine');
    await queue.release([id], 'not mine', never);
    await expectHeads([], [lane]);
    await queue.release([id], 'mine', never);
    await expectHeads([id], [lane]);
  });

  it('ignores receipts for messages it does not have', async () => {
    const id = uniqueName('unknown');
    expect(await queue.settle([{ id, outcome: 'delivered' }], new Date())).toEqual([]);
    expect(await store.status(id)).toEqual({ state: 'unknown' });
  });

  it('answers every query from an index', async () => {
    const lane = uniqueName('lane');
    const commands: Document[] = [];
    client.on('commandStarted', ({ command }) => commands.push(command));
    const [id] = (await appendTo(lane, 2)) as [string];
    await store.status(id);
    await store.backlog();
    await heads([lane]);
    for await (const _ of queue.findDueHeads(due())) break;
    await queue.claim([id], due(), 'claim');
    await queue.release([id], 'claim', never);
    await queue.settle([{ id, outcome: 'delivered' }], new Date());
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
    expect(queries.length).toBeGreaterThanOrEqual(11);
  });
});

/** A command with several writes is explained write by write. */
function toExplainable(command: Document): Document[] {
  const { find, aggregate, update, delete: remove } = command;
  if (find) return [pick(command, ['find', 'filter', 'sort', 'limit', 'projection'])];
  if (aggregate) return [pick(command, ['aggregate', 'pipeline', 'cursor'])];
  if (update) return command['updates'].map((one: Document) => ({ update, updates: [one] }));
  if (remove)
    return command['deletes'].map((one: Document) => ({ delete: remove, deletes: [one] }));
  return [];
}

function pick(command: Document, keys: readonly string[]): Document {
  return Object.fromEntries(keys.filter((key) => key in command).map((key) => [key, command[key]]));
}
