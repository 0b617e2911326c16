import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import { limitedRequest } from '../test-support/limited-request';
import { pairOf } from '../domain/tie/pair';
import { noTie, type Share, type Tie } from '../domain/tie/tie';
import { budgetIndexes } from './budget-store';
import { openTieStores } from './open-tie-stores';
import type { TieChanges } from './tie-changes';
import type { StoredTie } from './tie-document';
import { tieIndexes, type TieStore } from './tie-store';

let mongo: MongoConnection;
let ties: TieStore;
let changes: TieChanges;

beforeAll(async () => {
  mongo = await testDatabase('ties');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, ...outboxIndexes]);
  const outbox = new OutboxStore(mongo.db, 'social-graph');
  ({ ties, changes } = openTieStores({ db: mongo.db, outbox, republishAfterMs: 15_000 }));
});
afterAll(() => mongo.close());

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: start } };
const newId = (prefix: string): string => uniqueName(prefix).replace('-', '');

/** A tie between `userId` and a user whose id sorts before or after it. */
function tieOf(userId: string, nametag: string, order: 'before' | 'after', tie: Tie): StoredTie {
  const other = { userId: `${order === 'before' ? 'a' : 'z'}${newId('o')}`, nametag };
  const { pair } = pairOf({ userId, nametag: 'myself1' }, other);
  return { pair, tie, recent: [], version: 0 };
}
const newTie = (tie: Tie = friends): StoredTie => tieOf(newId('m'), 'otter7', 'after', tie);
const saveAll = (all: readonly StoredTie[]) => Promise.all(all.map((tie) => ties.save(tie)));

describe('TieStore', () => {
  it('returns a saved tie unchanged except for its version, which is one higher', async () => {
    const share: Share = {
      subuserId: 'sub1',
      subuserNametag: 'helper7',
      subuserName: 'Helper',
      subuserDescription: '',
      owner: 'low',
      status: 'active',
      offeredAt: start,
      acceptedAt: after(1),
    };
    const pending: Share = {
      ...share,
      subuserId: 'sub2',
      status: 'pending',
      acceptedAt: undefined,
    };
    const tie: Tie = {
      bond: { kind: 'friends', since: after(2) },
      cooldownUntil: { low: after(3) },
      blockedSince: { high: after(4) },
      requestNotifiedAt: { low: after(5), high: after(6) },
      shares: [share, pending],
      limits: { high: { perHour: 5 } },
      offers: { low: { from: after(7), count: 2 } },
    };
    const request = { id: 'r1', command: 'accept sub1', answer: 'accepted', at: start };
    const stored = { ...newTie(tie), recent: [{ ...request, by: 'low' as const, share }] };
    await expect(ties.find(stored.pair.id)).resolves.toBeUndefined();
    await expect(ties.save(stored)).resolves.toBe(true);
    await expect(ties.find(stored.pair.id)).resolves.toEqual({ ...stored, version: 1 });
  });

  it('save changes nothing when the stored version is newer', async () => {
    const first = newTie(noTie);
    await ties.save(first);
    await expect(ties.save({ ...first, version: 1, tie: friends })).resolves.toBe(true);
    await expect(ties.save({ ...first, version: 1 })).resolves.toBe(false);
    await expect(ties.save(first)).resolves.toBe(false);
    await expect(ties.find(first.pair.id)).resolves.toMatchObject({ tie: friends, version: 2 });
  });

  it('exactly one of many concurrent saves of the same version succeeds', async () => {
    const tie = newTie();
    for (const version of [0, 1, 2]) {
      const outcomes = await saveAll(Array.from({ length: 20 }, () => ({ ...tie, version })));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    }
    await expect(ties.find(tie.pair.id)).resolves.toMatchObject({ version: 3 });
  });

  it('remove deletes a tie only if it still has the version that was read', async () => {
    const tie = newTie();
    await ties.save(tie);
    const remove = (version: number) => ties.remove({ ...tie, version });
    await expect(remove(2)).resolves.toBe(false);
    await expect(remove(1)).resolves.toBe(true);
    await expect(ties.find(tie.pair.id)).resolves.toBeUndefined();
  });
});

describe('the lists of a user', () => {
  const userId = newId('m');
  const order = (index: number) => (index % 3 === 0 ? 'before' : 'after');
  const name = (index: number): string => `otter${String(index).padStart(4, '0')}`;
  const mySide = (index: number) => (order(index) === 'before' ? 'high' : 'low');
  const indexes = Array.from({ length: 40 }, (_, index) => index);
  const requested = (index: number): Tie => {
    const theirs = mySide(index) === 'low' ? 'high' : 'low';
    const by = index % 2 === 0 ? mySide(index) : theirs;
    return { ...noTie, bond: { kind: 'requested', by, since: after(100 - index) } };
  };

  beforeAll(async () => {
    const mine = (index: number, tie: Tie) => tieOf(userId, name(index), order(index), tie);
    await saveAll([
      ...indexes.map((index) => mine(index, friends)),
      ...indexes.slice(0, 10).map((index) => mine(index, requested(index))),
      ...indexes.slice(0, 4).map((index) => mine(index, noTie)),
      mine(0, { ...noTie, blockedSince: { [mySide(0)]: start } }),
      // A tie of other users, and one that only the other side lists.
      newTie(),
      mine(1, { ...noTie, blockedSince: { high: start } }),
    ]);
  });

  it('lists are paged in key order, whichever side of each pair the user is on', async () => {
    const pages: string[][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await ties.list({ userId, lists: ['friend'], after: cursor, limit: 9 });
      if (page.length > 0) pages.push(page.map(({ key }) => key));
      expect(page.every(({ pair, me }) => pair[me].userId === userId)).toBe(true);
      cursor = page.at(-1)?.key;
    }
    expect(pages.map(({ length }) => length)).toEqual([9, 9, 9, 9, 4]);
    expect(pages.flat()).toEqual(indexes.map(name));
  });

  it('incoming and outgoing requests are listed together, oldest first', async () => {
    const lists = ['request_in', 'request_out'] as const;
    const firstPage = await ties.list({ userId, lists, after: '', limit: 6 });
    const lastPage = await ties.list({ userId, lists, after: firstPage.at(-1)!.key, limit: 6 });
    const since = [...firstPage, ...lastPage].map(({ key }) => key.split(' ')[0]);
    const expected = indexes.slice(0, 10).map((index) => after(100 - index).toISOString());
    expect(since).toEqual(expected.reverse());
  });

  it('summarise counts each list separately', async () => {
    const counts = { friend: 40, request_in: 5, request_out: 5, block: 1 };
    expect((await ties.summarise(userId)).counts).toEqual(counts);
    expect(await ties.summarise(newId('nobody'))).toEqual({ counts: {}, digest: '' });
  });

  it('countPendingOut counts the pending requests of several users', async () => {
    const nobody = newId('nobody');
    await expect(ties.countPendingOut([userId, nobody])).resolves.toEqual(new Map([[userId, 5]]));
  });

  it('findByMember returns up to the given number of ties, including those that no list shows', async () => {
    await expect(ties.findByMember(userId, 10)).resolves.toHaveLength(10);
    const all = await ties.findByMember(userId, 1_000);
    expect(all).toHaveLength(40 + 10 + 4 + 2);
    expect(all.every(({ pair }) => [pair.low.userId, pair.high.userId].includes(userId))).toBe(
      true,
    );
  });
});

describe('the shares of a subuser', () => {
  it('findBySharedSubuser returns, page by page, every tie in which a subuser is shared', async () => {
    const names = { subuserNametag: 'helper7', subuserName: 'Helper', subuserDescription: '' };
    const share = { ...names, owner: 'low', offeredAt: start } as const;
    const sharing = (subuserId: string): Tie => ({
      ...friends,
      shares: [{ ...share, subuserId, status: 'pending', acceptedAt: undefined }],
    });
    const [mine, other] = [newId('s'), newId('s')];
    const shared = [newTie(sharing(mine)), newTie(sharing(mine)), newTie(sharing(mine))];
    await saveAll([...shared, newTie(sharing(other))]);
    const found = await ties.findBySharedSubuser(mine, 10);
    expect(found.map(({ pair }) => pair.id).sort()).toEqual(
      shared.map((tie) => tie.pair.id).sort(),
    );
    const firstPage = await ties.findBySharedSubuser(mine, 2);
    const lastPage = await ties.findBySharedSubuser(mine, 2, firstPage.at(-1)!.pair.id);
    expect([...firstPage, ...lastPage]).toEqual(found);
    expect(firstPage).toHaveLength(2);
  });
});

/** Records the queries of the store methods called in `beforeAll`, then checks their plans. */
describe('store queries', () => {
  const collections = ['ties', 'request_budgets'];
  const withoutRejected = (key: string, value: unknown): unknown =>
    ['rejectedPlans', 'allPlansExecution'].includes(key) ? undefined : value;
  let recorded: Document[];

  beforeAll(async () => {
    const tie = newTie();
    const [userId, lists] = [tie.pair.low.userId, ['request_in', 'request_out'] as const];
    await mongo.db.command({ profile: 2 });
    await ties.save(tie);
    await ties.find(tie.pair.id);
    await ties.save({ ...tie, version: 1 });
    await ties.list({ userId, lists: ['friend'], after: 'm', limit: 10 });
    await ties.list({ userId, lists, after: '', limit: 10 });
    await ties.summarise(userId);
    await ties.countBlocks(userId, 10);
    await ties.findByMember(userId, 10);
    await ties.findBySharedSubuser('sub1', 10);
    const limits = { perHour: 50, pending: 200 };
    for (const fresh of [newTie(), newTie()])
      await changes.save({ tie: fresh, request: limitedRequest(userId, fresh, limits, start) });
    await changes.remove({ ...tie, version: 2 }, undefined);
    await mongo.db.command({ profile: 0 });
    const inScope = { ns: { $in: collections.map((name) => `${mongo.db.databaseName}.${name}`) } };
    recorded = await mongo.db.collection('system.profile').find(inScope).toArray();
  });

  it('the profiler recorded every query of the methods that were called', () => {
    const kinds = recorded.map(({ op, command }) => `${op} ${Object.keys(command)[0]}`);
    expect(kinds.filter((kind) => kind === 'query find')).toHaveLength(1 + 4 + 2 + 1 + 2);
    expect(kinds.filter((kind) => kind === 'command aggregate')).toHaveLength(1 + 2 + 2);
    expect(recorded.filter(({ op }) => op === 'update')).toHaveLength(2);
    expect(recorded.filter(({ op }) => op === 'remove')).toHaveLength(1);
  });

  it('summarise reads no documents', () => {
    const summaries = recorded.filter(({ command }) =>
      JSON.stringify(command.pipeline ?? []).includes('Mark'),
    );
    expect(summaries.map(({ docsExamined }) => docsExamined)).toEqual([0]);
    expect(summaries.map(({ keysExamined }) => keysExamined)).toEqual([1]);
  });

  it('every recorded query used an index and no in-memory sort when it ran', () => {
    for (const { op, planSummary, hasSortStage } of recorded) {
      if (op !== 'insert') expect(planSummary).toMatch(/^(EXPRESS_)?(IXSCAN|IDHACK)/);
      expect(hasSortStage).toBeUndefined();
    }
  });

  it('explain shows an index and no in-memory sort for every recorded read', async () => {
    const queries = recorded.filter(({ op }) => op === 'query' || op === 'command');
    for (const { command } of queries) {
      const shape = ['find', 'filter', 'sort', 'limit', 'aggregate', 'pipeline', 'cursor'];
      const query = Object.fromEntries(
        Object.entries(command as Document).filter(([key]) => shape.includes(key)),
      );
      const plan = JSON.stringify(await mongo.db.command({ explain: query }), withoutRejected);
      expect(plan).toMatch(/"stage":"(EXPRESS_)?(IXSCAN|IDHACK)"/);
      expect(plan).not.toMatch(/"stage":"(COLLSCAN|SORT)"|"\$sort"/);
    }
  });
});
