import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSession, Document } from 'mongodb';
import { outboxIndexes, OutboxStore, type MessageDraft } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, uniqueName } from '@daycare/testing';
import { limitedRequest } from '../test-support/limited-request';
import { pairOf } from '../domain/pair';
import { noTie, type Share, type Tie } from '../domain/tie';
import { budgetIndexes, BudgetStore } from './budget-store';
import { TieChanges } from './tie-changes';
import type { StoredTie } from './tie-document';
import { tieIndexes, TieStore } from './tie-store';

let mongo: MongoConnection;
let ties: TieStore;
let budgets: BudgetStore;
let changes: TieChanges;

beforeAll(async () => {
  mongo = await testDatabase('ties');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, ...outboxIndexes]);
  ties = new TieStore(mongo.db);
  budgets = new BudgetStore(mongo.db);
  const outbox = new OutboxStore(mongo.db, 'social-graph');
  changes = new TieChanges({ client: mongo.client, ties, budgets, outbox });
});
afterAll(() => mongo.close());

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const friends: Tie = { ...noTie, bond: { kind: 'friends', since: start } };
const newId = (prefix: string): string => uniqueName(prefix).replace('-', '');
const inTransaction = <T>(work: (session: ClientSession) => Promise<T>): Promise<T> =>
  mongo.client.withSession((session) => session.withTransaction(() => work(session)));

/** A tie of `userId` with somebody whose id sorts before or after it. */
function tieOf(userId: string, nametag: string, place: 'before' | 'after', tie: Tie): StoredTie {
  const other = { userId: `${place === 'before' ? 'a' : 'z'}${newId('o')}`, nametag };
  const { pair } = pairOf({ userId, nametag: 'myself1' }, other);
  return { pair, tie, recent: [], version: 0 };
}
const newTie = (tie: Tie = friends): StoredTie => tieOf(newId('m'), 'otter7', 'after', tie);
const saveAll = (all: readonly StoredTie[]) => Promise.all(all.map((tie) => ties.save(tie)));
const notice = (id: string): MessageDraft => ({
  id,
  lane: 'a>b',
  origin: 'friend:otter7',
  recipient: { userId: 'b', target: { $case: 'foreground', value: {} } },
  text: 'Hello',
});

describe('saving a tie', () => {
  it('gives it back as it was, one version on', async () => {
    const share: Share = {
      subuserId: 'sub1',
      subuserNametag: 'helper7',
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
      requestToldAt: { low: after(5), high: after(6) },
      shares: [share, pending],
    };
    const request = { id: 'r1', command: 'accept sub1', answer: 'accepted', at: start };
    const stored = { ...newTie(tie), recent: [{ ...request, by: 'low' as const, share }] };
    await expect(ties.find(stored.pair.id)).resolves.toBeUndefined();
    await expect(ties.save(stored)).resolves.toBe(true);
    await expect(ties.find(stored.pair.id)).resolves.toEqual({ ...stored, version: 1 });
  });

  it('fails when somebody was faster, and changes nothing then', async () => {
    const first = newTie(noTie);
    await ties.save(first);
    await expect(ties.save({ ...first, version: 1, tie: friends })).resolves.toBe(true);
    await expect(ties.save({ ...first, version: 1 })).resolves.toBe(false);
    await expect(ties.save(first)).resolves.toBe(false);
    await expect(ties.find(first.pair.id)).resolves.toMatchObject({ tie: friends, version: 2 });
  });

  it('lets one of many win, for the first version and for every other', async () => {
    const tie = newTie();
    for (const version of [0, 1, 2]) {
      const outcomes = await saveAll(Array.from({ length: 20 }, () => ({ ...tie, version })));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    }
    await expect(ties.find(tie.pair.id)).resolves.toMatchObject({ version: 3 });
  });

  it('removes it only in the version that was read', async () => {
    const tie = newTie();
    await ties.save(tie);
    const remove = (version: number) =>
      inTransaction((session) => ties.remove({ ...tie, version }, session));
    await expect(remove(2)).resolves.toBe(false);
    await expect(remove(1)).resolves.toBe(true);
    await expect(ties.find(tie.pair.id)).resolves.toBeUndefined();
  });
});

describe('a change with all that goes with it', () => {
  const outboxIds = async (): Promise<string[]> =>
    (await mongo.db.collection<{ _id: string }>('outbox').find().toArray()).map(({ _id }) => _id);
  const request = (userId: string, perHour = 50) => ({
    request: limitedRequest(userId, { perHour, pending: 200 }, start),
  });
  const budgetOf = (userId: string) => inTransaction((session) => budgets.find(userId, session));

  it('is stored as a whole', async () => {
    const [tie, id, userId] = [newTie(), newId('n'), newId('u')];
    const change = { tie, notices: [notice(id)], ...request(userId) };
    await expect(changes.save(change)).resolves.toBe('saved');
    await expect(ties.find(tie.pair.id)).resolves.toMatchObject({ version: 1 });
    expect(await outboxIds()).toContain(id);
    await expect(budgetOf(userId)).resolves.toEqual({ madeAt: [start] });
  });

  it('leaves no notice and costs no request when the race is lost', async () => {
    const [tie, id, userId] = [newTie(), newId('n'), newId('u')];
    await ties.save(tie);
    const change = { tie, notices: [notice(id)], ...request(userId) };
    await expect(changes.save(change)).resolves.toBe('lost-race');
    const stale = { ...change, tie: { ...tie, version: 7 } };
    await expect(changes.save(stale)).resolves.toBe('lost-race');
    await expect(changes.remove({ ...tie, version: 7 }, [notice(id)])).resolves.toBe('lost-race');
    expect(await outboxIds()).not.toContain(id);
    await expect(budgetOf(userId)).resolves.toEqual({ madeAt: [] });
  });

  it('is not stored when the budget is spent', async () => {
    const [tie, id, userId] = [newTie(), newId('n'), newId('u')];
    await changes.save({ tie: newTie(), notices: [], ...request(userId, 1) });
    const change = { tie, notices: [notice(id)], ...request(userId, 1) };
    const refused = { exceeded: 'per_hour', allowedAt: after(60 * 60 * 1000) };
    await expect(changes.save(change)).resolves.toEqual(refused);
    await expect(ties.find(tie.pair.id)).resolves.toBeUndefined();
    expect(await outboxIds()).not.toContain(id);
  });
});

describe('the lists of a user', () => {
  const userId = newId('m');
  const place = (index: number) => (index % 3 === 0 ? 'before' : 'after');
  const name = (index: number): string => `otter${String(index).padStart(4, '0')}`;
  const mySide = (index: number) => (place(index) === 'before' ? 'high' : 'low');
  const indexes = Array.from({ length: 40 }, (_, index) => index);
  const requested = (index: number): Tie => {
    const theirs = mySide(index) === 'low' ? 'high' : 'low';
    const by = index % 2 === 0 ? mySide(index) : theirs;
    return { ...noTie, bond: { kind: 'requested', by, since: after(100 - index) } };
  };

  beforeAll(async () => {
    const mine = (index: number, tie: Tie) => tieOf(userId, name(index), place(index), tie);
    await saveAll([
      ...indexes.map((index) => mine(index, friends)),
      ...indexes.slice(0, 10).map((index) => mine(index, requested(index))),
      ...indexes.slice(0, 4).map((index) => mine(index, noTie)),
      mine(0, { ...noTie, blockedSince: { [mySide(0)]: start } }),
      // Of somebody else, and one that only the other side lists.
      newTie(),
      mine(1, { ...noTie, blockedSince: { high: start } }),
    ]);
  });

  it('come page by page in the order of their keys, whichever side the user is of each pair', async () => {
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

  it('can be read together: requests of both directions by age', async () => {
    const lists = ['request_in', 'request_out'] as const;
    const first = await ties.list({ userId, lists, after: '', limit: 6 });
    const rest = await ties.list({ userId, lists, after: first.at(-1)!.key, limit: 6 });
    const since = [...first, ...rest].map(({ key }) => key.split(' ')[0]);
    const expected = indexes.slice(0, 10).map((index) => after(100 - index).toISOString());
    expect(since).toEqual(expected.reverse());
  });

  it('are counted, each by itself', async () => {
    const counts = { friend: 40, request_in: 5, request_out: 5, block: 1 };
    expect((await ties.survey(userId)).counts).toEqual(counts);
    expect(await ties.survey(newId('nobody'))).toEqual({ counts: {}, digest: '' });
  });

  it('tell how many requests wait, counting no further than needed', async () => {
    const count = (limit: number) =>
      inTransaction((session) => ties.countPendingOut(userId, limit, session));
    await expect(count(200)).resolves.toBe(5);
    const few = await count(2);
    expect(few).toBeGreaterThanOrEqual(2);
    expect(few).toBeLessThanOrEqual(4);
  });

  it('are found for clearing up, a batch at a time, with what no list shows', async () => {
    await expect(ties.findSomeOf(userId, 10)).resolves.toHaveLength(10);
    const all = await ties.findSomeOf(userId, 1_000);
    expect(all).toHaveLength(40 + 10 + 4 + 2);
    expect(all.every(({ pair }) => [pair.low.userId, pair.high.userId].includes(userId))).toBe(
      true,
    );
  });
});

describe('the shares of a subuser', () => {
  it('are found in whichever ties they are', async () => {
    const share = { owner: 'low', subuserNametag: 'helper7', offeredAt: start } as const;
    const sharing = (subuserId: string): Tie => ({
      ...friends,
      shares: [{ ...share, subuserId, status: 'pending', acceptedAt: undefined }],
    });
    const [mine, other] = [newId('s'), newId('s')];
    const shared = [newTie(sharing(mine)), newTie(sharing(mine)), newTie(sharing(mine))];
    await saveAll([...shared, newTie(sharing(other))]);
    const found = await ties.findSomeSharing(mine, 10);
    expect(found.map(({ pair }) => pair.id).sort()).toEqual(
      shared.map((tie) => tie.pair.id).sort(),
    );
    await expect(ties.findSomeSharing(mine, 2)).resolves.toHaveLength(2);
  });
});

/** Everything the stores ask of MongoDB, recorded while they are asked, and then explained. */
describe('every query of the stores', () => {
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
    await ties.survey(userId);
    await ties.findSomeOf(userId, 10);
    await ties.findSomeSharing('sub1', 10);
    const limits = { perHour: 50, pending: 200 };
    await changes.save({
      tie: newTie(),
      notices: [],
      request: limitedRequest(userId, limits, start),
    });
    await changes.remove({ ...tie, version: 2 }, []);
    await mongo.db.command({ profile: 0 });
    const inScope = { ns: { $in: collections.map((name) => `${mongo.db.databaseName}.${name}`) } };
    recorded = await mongo.db.collection('system.profile').find(inScope).toArray();
  });

  it('was recorded', () => {
    const kinds = recorded.map(({ op, command }) => `${op} ${Object.keys(command)[0]}`);
    expect(kinds.filter((kind) => kind === 'query find')).toHaveLength(1 + 4 + 2 + 1 + 1);
    expect(kinds.filter((kind) => kind === 'command aggregate')).toHaveLength(2 + 2);
    expect(recorded.filter(({ op }) => op === 'update')).toHaveLength(2);
    expect(recorded.filter(({ op }) => op === 'remove')).toHaveLength(1);
  });

  it('reads no tie for a survey', () => {
    const surveys = recorded.filter(({ command }) =>
      JSON.stringify(command.pipeline ?? []).includes('Mark'),
    );
    expect(surveys.map(({ docsExamined }) => docsExamined)).toEqual([0, 0]);
    expect(surveys.map(({ keysExamined }) => keysExamined)).toContain(1);
  });

  it('goes through an index, as it ran', () => {
    for (const { op, planSummary, hasSortStage } of recorded) {
      if (op !== 'insert') expect(planSummary).toMatch(/^(EXPRESS_)?(IXSCAN|IDHACK)/);
      expect(hasSortStage).toBeUndefined();
    }
  });

  it('goes through an index and sorts nothing in memory, as explained', async () => {
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
