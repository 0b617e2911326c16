import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Timestamp, type Document } from 'mongodb';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import type { PermissionRequest } from '../domain/permission';
import { PermissionChangeStore } from './permission-change-store';
import { permissionIndexes, PermissionStore, type StoredPermission } from './permission-store';

let mongo: MongoConnection;
let store: PermissionStore;
let changes: PermissionChangeStore;

beforeAll(async () => {
  mongo = await testDatabase('permissions');
  await ensureIndexes(mongo.db, [permissionIndexes]);
  store = new PermissionStore(mongo.db);
  changes = new PermissionChangeStore(mongo.db);
});
afterAll(() => mongo.close());

const now = new Date();
const later = (ms: number): Date => new Date(now.getTime() + ms);
const draft = (fields: Partial<PermissionRequest> = {}): PermissionRequest => ({
  id: createId(),
  userId: createId(),
  ownerUserId: undefined,
  agentId: createId(),
  agentLabel: 'scout',
  contextFrom: 1,
  permission: 'network',
  reason: '$reason',
  call: undefined,
  askedIn: undefined,
  state: 'pending',
  target: { connector: 'cli', connectorUserId: 'me', channelId: '$$ROOT' },
  presentedTo: undefined,
  createdAt: now,
  expiresAt: later(1_000),
  decidedAt: undefined,
  decision: undefined,
  grantUntil: undefined,
  decisionTo: [],
  ...fields,
});
/** Stores a request in slots that no other request occupies. */
async function create(request: PermissionRequest): Promise<StoredPermission> {
  const slots = { key: createId(), agentPlace: nextSlot++, deciderPlace: nextSlot++ };
  return (await store.create(request, slots))!;
}
let nextSlot = 0;

const decision = { decisionTo: [], grantUntil: undefined };
const granted = { ...decision, state: 'granted', decision: 'grant' } as const;
const denied = { ...decision, state: 'denied', decision: 'deny' } as const;
const everything = { states: [], agentId: '', after: undefined, limit: 10 };
const idsOf = (requests: readonly PermissionRequest[]): string[] => requests.map(({ id }) => id);

describe('storing a permission request', () => {
  it('storing a request again keeps its first version', async () => {
    const request = draft();
    const first = await create(request);
    const second = await create({ ...request, reason: 'other', expiresAt: later(9) });
    expect(first).toEqual({ ...request, owedSince: now });
    expect(second).toEqual(first);
  });

  it('concurrent identical requests are stored once', async () => {
    const request = draft();
    await Promise.all(Array.from({ length: 8 }, () => create(request)));
    await expect(store.list({ ...everything, reader: request.userId }, now)).resolves.toHaveLength(
      1,
    );
  });

  it('a request is visible only to its user and that user’s owner', async () => {
    const { id, userId } = await create(draft({ ownerUserId: 'owner' }));
    await expect(store.find(userId, id, now)).resolves.toMatchObject({ id });
    await expect(store.find('owner', id, now)).resolves.toMatchObject({ id });
    await expect(store.find('other', id, now)).resolves.toBeUndefined();
    await expect(store.find(userId, createId(), now)).resolves.toBeUndefined();
  });

  it('a request is reported as expired from its deadline on, even before its expiry is stored', async () => {
    const { id, userId: reader } = await create(draft());
    await expect(store.find(reader, id, later(999))).resolves.toMatchObject({ state: 'pending' });
    await expect(store.find(reader, id, later(1_000))).resolves.toMatchObject({ state: 'expired' });
    const listed = async (state: 'pending' | 'expired', ms: number) =>
      idsOf(await store.list({ ...everything, reader, states: [state] }, later(ms)));
    expect(await listed('pending', 999)).toEqual([id]);
    expect(await listed('expired', 999)).toEqual([]);
    expect(await listed('pending', 1_000)).toEqual([]);
    expect(await listed('expired', 1_000)).toEqual([id]);
  });
});

describe('listing permission requests', () => {
  it('requests are listed newest first, page by page, with equal times ordered by id', async () => {
    const userId = createId();
    const created = await Promise.all(
      [0, 1, 1, 1, 2].map((ms) => create(draft({ userId, createdAt: later(ms) }))),
    );
    const sorted = created.sort((a, b) => +b.createdAt - +a.createdAt || (a.id < b.id ? 1 : -1));
    const read: string[] = [];
    let after: PermissionRequest | undefined;
    do {
      const page = await store.list({ ...everything, reader: userId, after, limit: 2 }, now);
      read.push(...idsOf(page));
      after = page.at(-1);
    } while (after);
    expect(read).toEqual(idsOf(sorted));
  });

  it('requests can be listed by state and by agent', async () => {
    const userId = createId();
    const [first, second] = [draft({ userId }), draft({ userId })];
    await Promise.all([create(first), create(second)]);
    await store.decide(first, denied, now);
    const list = async (wanted: object) =>
      idsOf(await store.list({ ...everything, reader: userId, ...wanted }, now));
    expect(await list({ states: ['denied'] })).toEqual([first.id]);
    expect(await list({ states: ['granted', 'pending'] })).toEqual([second.id]);
    expect(await list({ agentId: first.agentId })).toEqual([first.id]);
  });
});

describe('deleting permission requests', () => {
  it('deleting a user deletes the user’s requests and those of the user’s subusers', async () => {
    const [own, ofSubuser] = [draft(), draft({ ownerUserId: createId() })];
    await Promise.all([create(own), create(ofSubuser)]);
    await store.deleteByUser(own.userId);
    await store.deleteByUser(ofSubuser.ownerUserId!);
    await expect(store.find(own.userId, own.id, now)).resolves.toBeUndefined();
    await expect(store.find(ofSubuser.userId, ofSubuser.id, now)).resolves.toBeUndefined();
  });
});

describe('deciding in the store', () => {
  it('only one of many concurrent decisions on a request succeeds', async () => {
    for (let round = 0; round < 10; round += 1) {
      const request = await create(draft());
      const outcomes = await Promise.all(
        [granted, denied, granted, denied].map((decision) => store.decide(request, decision, now)),
      );
      const winners = outcomes.filter((outcome) => outcome !== undefined);
      expect(winners).toHaveLength(1);
      const found = await store.find(request.userId, request.id, now);
      expect(found).toEqual(winners[0]);
      expect(found).toMatchObject({ decidedAt: now, owedSince: now });
    }
  });

  it('a request is either decided or expired, never both', async () => {
    for (let round = 0; round < 20; round += 1) {
      const request = await create(draft());
      const [decided, expired] = await Promise.all([
        store.decide(request, granted, later(999)),
        store.expireBefore(later(1_000), 1_000),
      ]);
      const didExpire = idsOf(expired).includes(request.id);
      expect(didExpire).toBe(decided === undefined);
      const found = await store.find(request.userId, request.id, now);
      expect(found?.state).toBe(didExpire ? 'expired' : 'granted');
    }
  });

  it('a decision made after the deadline, or after the request was ended early, is not stored', async () => {
    const late = await create(draft());
    await expect(store.decide(late, granted, later(1_000))).resolves.toBeUndefined();
    const endedEarly = await create(draft());
    await expect(store.expire(endedEarly, now)).resolves.toMatchObject({ state: 'expired' });
    await expect(store.decide(endedEarly, granted, now)).resolves.toBeUndefined();
    await expect(store.expire(endedEarly, now)).resolves.toBeUndefined();
  });
});

describe('expiring in the store', () => {
  it('only one of many concurrent sweeps reports an expired request', async () => {
    const request = await create(draft({ expiresAt: later(500) }));
    const sweeps = await Promise.all([1, 2, 3].map(() => store.expireBefore(later(500), 1_000)));
    expect(sweeps.flatMap(idsOf).filter((id) => id === request.id)).toHaveLength(1);
    const found = await store.find(request.userId, request.id, now);
    expect(found).toMatchObject({ state: 'expired' });
    expect(found).not.toHaveProperty('owedSince');
  });
});

describe('the slots of pending requests', () => {
  const slots = (fields: object = {}) => ({
    key: createId(),
    agentPlace: 0,
    deciderPlace: 0,
    ...fields,
  });

  it.each(['key', 'agentPlace', 'deciderPlace'] as const)(
    'a second pending request cannot have the same %s until the first one is decided',
    async (shared) => {
      const [userId, agentId] = [createId(), createId()];
      const taken = slots();
      const first = (await store.create(draft({ userId, agentId }), taken))!;
      // Only the shared field is the same.
      const other = slots({ agentPlace: 1, deciderPlace: 1, [shared]: taken[shared] });
      const second = draft({ userId, agentId });
      await expect(store.create(second, other)).resolves.toBeUndefined();
      await store.decide(first, denied, now);
      await expect(store.create(second, other)).resolves.toMatchObject({ id: second.id });
    },
  );
});

describe('outstanding consequences', () => {
  const outstanding = async (id: string) =>
    (await store.listOutstanding(later(1), 1_000)).find((r) => r.id === id);

  it('consequences stay outstanding until they are settled', async () => {
    const request = await create(draft());
    await expect(outstanding(request.id)).resolves.toEqual(request);
    await store.settle(request);
    await expect(outstanding(request.id)).resolves.toBeUndefined();
  });

  it('settling a stale copy of a request, read before its decision, leaves the consequences of the decision outstanding', async () => {
    const request = await create(draft());
    const decided = await store.decide(request, granted, now);
    await store.settle(request);
    await expect(outstanding(request.id)).resolves.toEqual(decided);
  });
});

describe('permission changes', () => {
  const read = async (reader: string, mark?: Awaited<ReturnType<typeof changes.newest>>) => {
    const found: string[] = [];
    for await (const { request } of changes.since(reader, mark, () => now))
      found.push(`${request.id} ${request.state}`);
    return found;
  };

  it('changes are read in the order in which they happened, across pages', async () => {
    const userId = createId();
    const make = () => create(draft({ userId }));
    const concurrent = await Promise.all(Array.from({ length: 200 }, make));
    const oneByOne = [await make(), await make(), await make()];
    const before = await read(userId);
    expect(new Set(before).size).toBe(concurrent.length + oneByOne.length);
    expect(before.slice(-3)).toEqual(oneByOne.map(({ id }) => `${id} pending`));
    await store.decide(concurrent[0]!, denied, now);
    expect((await read(userId)).at(-1)).toBe(`${concurrent[0]!.id} denied`);
  });

  it('reading changes since a mark rereads those shortly before the mark, but no older ones', async () => {
    const userId = createId();
    await expect(changes.newest(userId)).resolves.toBeUndefined();
    const { id } = await create(draft({ userId }));
    const mark = (await changes.newest(userId))!;
    await expect(read(userId, mark)).resolves.toEqual([`${id} pending`]);
    const muchLater = new Timestamp({ t: mark.t + 60, i: 0 });
    await expect(read(userId, muchLater)).resolves.toEqual([]);
  });
});

/** Runs every query and change of the two stores on a stored request, each at least once. */
async function runQueries(request: PermissionRequest): Promise<void> {
  const { userId: reader, id, agentId } = request;
  const after = { createdAt: later(50), id };
  await store.find(reader, id, now);
  await store.list({ ...everything, reader }, now);
  await store.list({ reader, states: ['pending', 'expired'], agentId, after, limit: 5 }, now);
  await store.listPending(reader);
  await store.hasPending(agentId, now);
  await store.listByTurn(agentId, 1);
  await store.nextExpiry();
  await changes.newest(reader);
  for await (const _ of changes.since(reader, undefined, () => now));
  const decided = (await store.decide(request, granted, now))!;
  await store.listOutstanding(later(1), 10);
  await store.settle(decided);
  await store.expire(request, now);
  await store.expireBefore(later(1_000), 5);
  await store.deleteByUser(reader);
}

it('every query and change of stored permission requests uses an index, including for sorting', async () => {
  const { db } = mongo;
  const userId = createId();
  const created = await Promise.all(
    Array.from({ length: 100 }, (_, ms) => create(draft({ userId, createdAt: later(ms) }))),
  );
  await db.createCollection('system.profile', { capped: true, size: 4_194_304 });
  await db.command({ profile: 2 });
  await runQueries(created[0]!);
  await db.command({ profile: 0 });
  const profiled: Document[] = await db
    .collection('system.profile')
    .find({ ns: /\.permissions$/, planSummary: { $exists: true } })
    .toArray();
  expect(profiled.length).toBeGreaterThan(10);
  const plans = profiled.map(
    ({ op, planSummary, command }) => `${op} ${planSummary} ${JSON.stringify(command)}`,
  );
  expect(plans.filter((plan) => !/(IXSCAN|IDHACK|EXPRESS_)/.test(plan))).toEqual([]);
  expect(plans.filter((_, index) => profiled[index]!['hasSortStage'])).toEqual([]);
});
