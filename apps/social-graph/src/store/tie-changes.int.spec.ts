import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { outboxIndexes, OutboxStore, type MessageDraft } from '@daycare/messaging';
import { testDatabase, uniqueName } from '@daycare/testing';
import { pairOf } from '../domain/pair';
import { noTie } from '../domain/tie';
import { budgetIndexes, BudgetStore } from './budget-store';
import { limitedRequest } from '../test-support/limited-request';
import { TieChanges, type TieChange } from './tie-changes';
import type { StoredTie } from './tie-document';
import { tieIndexes, TieStore } from './tie-store';

/** Stands for the death of the process; MongoDB sees a transaction that ends without a commit. */
class Died extends Error {}

let mongo: MongoConnection;
let tie: StoredTie;
let parts: { ties: TieStore; budgets: BudgetStore; outbox: OutboxStore };

beforeAll(async () => {
  mongo = await testDatabase('tie-changes');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, ...outboxIndexes]);
});
afterAll(async () => mongo.close());
beforeEach(() => {
  const [ada, bob] = ['ada', 'bob'].map((name) => ({ userId: uniqueName(name), nametag: name }));
  const { pair, me } = pairOf(ada!, bob!);
  const bond = { kind: 'requested', by: me, since: new Date() } as const;
  tie = { pair, tie: { ...noTie, bond }, recent: [], version: 0 };
  parts = {
    ties: new TieStore(mongo.db),
    budgets: new BudgetStore(mongo.db),
    outbox: new OutboxStore(mongo.db, 'social-graph'),
  };
});

function request(): TieChange {
  const { low, high } = tie.pair;
  const notice: MessageDraft = {
    id: uniqueName('notice'),
    lane: `${low.userId}>${high.userId}`,
    origin: `friend:${low.nametag}`,
    recipient: { userId: high.userId, target: { $case: 'foreground', value: {} } },
    text: 'wants to be your friend',
  };
  const limits = { perHour: 50, pending: 200 };
  return { tie, notices: [notice], request: limitedRequest(low.userId, limits, new Date()) };
}

const save = () => new TieChanges({ client: mongo.client, ...parts }).save(request());

/** What there is of the pair: tie, budget, notice. */
async function leftBehind(): Promise<number[]> {
  const { low, high } = tie.pair;
  const { db } = mongo;
  return Promise.all([
    db.collection('ties').countDocuments({ low: low.userId }),
    db.collection<{ _id: string }>('request_budgets').countDocuments({ _id: low.userId }),
    db.collection('outbox').countDocuments({ lane: `${low.userId}>${high.userId}` }),
  ]);
}

/** Lets a step of a store take place and dies right after it. */
function dieAfter<T extends object>(store: T, step: keyof T): void {
  const original = (store[step] as (...args: unknown[]) => Promise<unknown>).bind(store);
  const dying = async (...args: unknown[]): Promise<never> => {
    await original(...args);
    throw new Died();
  };
  Object.assign(store, { [step]: dying });
}

describe('a change of a tie', () => {
  it('stores the tie, the budget and the notice', async () => {
    await expect(save()).resolves.toBe('saved');
    expect(await leftBehind()).toEqual([1, 1, 1]);
  });

  it.each([
    ['the budget was saved', () => dieAfter(parts.budgets, 'save')],
    ['the tie was saved', () => dieAfter(parts.ties, 'save')],
    ['the notice was stored', () => dieAfter(parts.outbox, 'append')],
  ])('leaves nothing behind when the process dies after %s', async (_, arrange) => {
    arrange();
    await expect(save()).rejects.toThrow(Died);
    expect(await leftBehind()).toEqual([0, 0, 0]);
  });

  it('leaves nothing behind when somebody else was faster', async () => {
    await parts.ties.save(tie);
    await expect(save()).resolves.toBe('lost-race');
    expect(await leftBehind()).toEqual([1, 0, 0]);
  });
});
