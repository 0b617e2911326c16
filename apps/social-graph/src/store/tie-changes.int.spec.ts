import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { outboxIndexes, OutboxStore, type MessageDraft } from '@daycare/messaging';
import { testDatabase, uniqueName } from '@daycare/testing';
import { noticeIdOf } from '../domain/tie/notices';
import { pairOf } from '../domain/tie/pair';
import { noTie } from '../domain/tie/tie';
import { budgetIndexes } from './budget-store';
import { limitedRequest } from '../test-support/limited-request';
import { openTieStores, type TieStores } from './open-tie-stores';
import type { TieChange } from './tie-changes';
import type { StoredTie, TieDocument } from './tie-document';
import { tieIndexes } from './tie-store';

/** Simulates a crash: nothing after it runs. */
class Died extends Error {}

const limits = { perHour: 50, pending: 200 };

let mongo: MongoConnection;
let tie: StoredTie;
let outbox: OutboxStore;
let stores: TieStores;

beforeAll(async () => {
  mongo = await testDatabase('tie-changes');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, ...outboxIndexes]);
});
afterAll(async () => mongo.close());
beforeEach(() => {
  tie = newTie();
  outbox = new OutboxStore(mongo.db, 'social-graph');
  stores = openTieStores({ db: mongo.db, outbox, republishAfterMs: 15_000 });
});

function newTie(): StoredTie {
  const [ada, bob] = ['ada', 'bob'].map((name) => ({
    userId: uniqueName(name).replaceAll('-', ''),
    nametag: name,
  }));
  const { pair, me } = pairOf(ada!, bob!);
  const bond = { kind: 'requested', by: me, since: new Date() } as const;
  return { pair, tie: { ...noTie, bond }, recent: [], version: 0 };
}

function noticeOf({ pair, version }: StoredTie): MessageDraft {
  const { low, high } = pair;
  return {
    id: noticeIdOf(pair, version + 1),
    lane: `${low.userId}>${high.userId}`,
    origin: `friend:${low.nametag}`,
    recipient: { userId: high.userId, target: { $case: 'foreground', value: {} } },
    senderUserId: low.userId,
    text: 'wants to be your friend',
  };
}

function request(known = tie): TieChange {
  const { userId } = known.pair.low;
  return {
    tie: known,
    notice: noticeOf(known),
    request: limitedRequest(userId, known, limits, new Date()),
  };
}

// Reservations are written without waiting for a majority, so they are read with the same concern.
const budgets = () =>
  mongo.db.collection<{ _id: string; madeAt: Date[] }>('request_budgets', {
    readConcern: { level: 'local' },
  });
const documentOf = ({ pair }: StoredTie) =>
  mongo.db.collection<TieDocument>('ties').findOne({ _id: pair.id });

/** Counts the ties, requests in the budget and notices stored for the pair. */
async function countStored(): Promise<number[]> {
  const document = await documentOf(tie);
  const budget = await budgets().findOne({ _id: tie.pair.low.userId });
  return [document ? 1 : 0, budget?.madeAt.length ?? 0, document?.notices?.length ?? 0];
}

/** Makes a store method crash before or right after doing its work. */
function die<T extends object>(when: 'before' | 'after', store: T, step: keyof T): void {
  const original = (store[step] as (...args: unknown[]) => Promise<unknown>).bind(store);
  const dying = async (...args: unknown[]): Promise<never> => {
    if (when === 'after') await original(...args);
    throw new Died();
  };
  Object.assign(store, { [step]: dying });
}

describe('TieChanges', () => {
  it('stores the tie with its notice, and the request in the budget', async () => {
    await expect(stores.changes.save(request())).resolves.toBe('saved');
    expect(await countStored()).toEqual([1, 1, 1]);
    await expect(stores.ties.find(tie.pair.id)).resolves.toMatchObject({
      version: 1,
      notices: [{ id: noticeIdOf(tie.pair, 1), to: 'high' }],
    });
  });

  it.each([
    ['before it updates the budget', [0, 0, 0], () => die('before', stores.budgets, 'reserve')],
    ['after it has updated the budget', [0, 1, 0], () => die('after', stores.budgets, 'reserve')],
    ['before it saves the tie', [0, 1, 0], () => die('before', stores.ties, 'save')],
    ['after it has saved the tie', [1, 1, 1], () => die('after', stores.ties, 'save')],
  ])(
    'if a process dies %s, every stored tie has its notice, and its request is in the budget',
    async (_, expected, arrange) => {
      arrange();
      await expect(stores.changes.save(request())).rejects.toThrow(Died);
      expect(await countStored()).toEqual(expected);
    },
  );

  it('a change that loses a race stores no notice and releases its reservation in the budget', async () => {
    await stores.ties.save(tie);
    await expect(stores.changes.save(request())).resolves.toBe('lost-race');
    const stale = { ...tie, version: 7 };
    await expect(stores.changes.save(request(stale))).resolves.toBe('lost-race');
    await expect(stores.changes.remove(stale, noticeOf(stale))).resolves.toBe('lost-race');
    expect(await countStored()).toEqual([1, 0, 0]);
  });

  it('stores nothing when the request budget is exceeded', async () => {
    const now = new Date();
    const limited = limitedRequest(tie.pair.low.userId, tie, { perHour: 1, pending: 200 }, now);
    await stores.budgets.reserve({ ...limited, reservation: { ...limited.reservation, id: 'r' } });
    const refused = { exceeded: 'per_hour', allowedAt: new Date(now.getTime() + 60 * 60 * 1000) };
    await expect(stores.changes.save({ ...request(), request: limited })).resolves.toEqual(refused);
    expect(await countStored()).toEqual([0, 1, 0]);
  });

  it('a notice waits for the previous open notice and for the last open message in its lane', async () => {
    await stores.changes.save(request());
    const message = { ...noticeOf(tie), id: uniqueName('message'), predecessors: [] };
    await outbox.append([message]);
    const [known] = await Promise.all([stores.ties.find(tie.pair.id)]);
    await stores.changes.save({ tie: known!, notice: noticeOf(known!) });
    const notices = (await documentOf(tie))?.notices ?? [];
    expect(notices.map(({ id, predecessors }) => [id, predecessors])).toEqual([
      [noticeIdOf(tie.pair, 1), []],
      [noticeIdOf(tie.pair, 2), [message.id, noticeIdOf(tie.pair, 1)]],
    ]);
  });

  it('refuses a further notice with UNAVAILABLE while too many are waiting, and changes nothing', async () => {
    for (let version = 0; version < 64; version += 1)
      await stores.changes.save({
        tie: { ...tie, version },
        notice: noticeOf({ ...tie, version }),
      });
    const full = (await stores.ties.find(tie.pair.id))!;
    const refused = stores.changes.save({ tie: full, notice: noticeOf(full) });
    await expect(refused).rejects.toThrow(AppError);
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(stores.ties.find(tie.pair.id)).resolves.toEqual(full);
  });

  it('a removed tie is empty and no longer found by its members, but keeps its open notices', async () => {
    await stores.changes.save(request());
    const known = (await stores.ties.find(tie.pair.id))!;
    await expect(stores.changes.remove(known, noticeOf(known))).resolves.toBe('saved');
    await expect(stores.ties.findByMember(tie.pair.low.userId, 10)).resolves.toEqual([]);
    await expect(stores.ties.find(tie.pair.id)).resolves.toMatchObject({
      tie: noTie,
      version: 2,
      notices: [{ id: noticeIdOf(tie.pair, 1) }, { id: noticeIdOf(tie.pair, 2) }],
    });
  });
});
