import { expect, it, jest } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Timestamp } from 'mongodb';
import { ensureIndexes } from '@daycare/mongo';
import { useFixture } from '@daycare/testing/jest';
import { testDatabase } from '@daycare/testing';
import { emptyAccount, reserve, type Account } from '../domain/account';
import { setBudget } from '../domain/set-budget';
import { neverSet, toDocument, type AccountDocument } from './account-document';
import { accountIndexes, AccountStore } from './account-store';
import { AccountWriter } from './account-writer';

const mongo = useFixture(() => testDatabase('accounts'));
const now = new Date();
const collection = () => mongo.db.collection<AccountDocument>('spending_accounts');

/** Creates an account for a new owner, with a daily budget of this many tokens. */
async function newAccount(maxTokens: number): Promise<string> {
  const ownerUserId = createId();
  const spec = { setBy: 'owner', scope: { kind: 'owner' }, period: 'day' } as const;
  const account = setBudget(
    emptyAccount(ownerUserId, now),
    { ...spec, maxTokens, requestId: createId() },
    now,
  );
  await collection().insertOne(
    toDocument(account, { revision: 0, writtenBy: '', budgetsSetAt: neverSet }),
  );
  return ownerUserId;
}

const reserveTokens =
  (agentId: string, tokens: number, onDecided: () => void = () => undefined) =>
  (before: Account) => {
    const request = { userId: 'u', agentId, trust: 'own', fence: 1 } as const;
    const { account, outcome } = reserve(
      before,
      { ...request, amount: { tokens, micros: 0 } },
      now,
    );
    onDecided();
    return { account, result: outcome.kind, needsFresh: outcome.kind !== 'granted' };
  };

it('polls reread recently changed budgets, but only the newest one after a minute without changes', async () => {
  await ensureIndexes(mongo.db, [accountIndexes]);
  const accounts = new AccountStore(mongo.db);
  const unmarkedOwner = await newAccount(1);
  const before = await accounts.newestMark();
  const owners = await Promise.all(Array.from({ length: 50 }, () => newAccount(1_000)));
  const budgetsSetAt = new Timestamp({ t: Math.floor(now.getTime() / 1_000), i: 1 });
  for (const [at, _id] of owners.entries())
    await collection().updateOne(
      { _id },
      { $set: { budgetsSetAt: new Timestamp({ t: budgetsSetAt.t, i: at + 2 }) } },
    );
  const { mark, owners: found } = await accounts.listChanged(before);
  expect([found.size, found.has(unmarkedOwner)]).toEqual([50, false]);
  expect((await accounts.listChanged(mark)).owners.size).toBe(50);
  expect((await accounts.listChanged(mark, 60_000)).owners.size).toBe(1);
  expect((await accounts.listChanged(neverSet, 60_000)).owners.has(unmarkedOwner)).toBe(false);
});

it('concurrent changes to many accounts take one read and one write, and further changes need no read', async () => {
  const owners = await Promise.all(Array.from({ length: 64 }, () => newAccount(1_000)));
  const accounts = collection();
  const [find, bulkWrite] = [jest.spyOn(accounts, 'find'), jest.spyOn(accounts, 'bulkWrite')];
  const writer = new AccountWriter(accounts);
  const reserveAll = (agentId: string) =>
    Promise.all(owners.map((owner) => writer.change(owner, reserveTokens(agentId, 1))));
  await reserveAll('a');
  expect([find, bulkWrite].map((each) => each.mock.calls.length)).toEqual([1, 1]);
  expect(await reserveAll('b')).toEqual(owners.map(() => 'granted'));
  expect([find, bulkWrite].map((each) => each.mock.calls.length)).toEqual([1, 2]);
});

it('changes to one account by four replicas are decided one after another', async () => {
  const owner = await newAccount(10);
  const writers = Array.from({ length: 4 }, () => new AccountWriter(collection()));
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      writers[index % 4]!.change(owner, reserveTokens(`a${index}`, 1)),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(10);
  const stored = await collection().findOne({ _id: owner });
  expect(stored?.reservations).toHaveLength(10);
  expect(new Set(stored?.reservations.map(({ number }) => number)).size).toBe(10);
});

it('an account that does not change is not written', async () => {
  const owner = await newAccount(0);
  const accounts = collection();
  const bulkWrite = jest.spyOn(accounts, 'bulkWrite');
  const writer = new AccountWriter(accounts);
  expect(await writer.change(owner, reserveTokens('a', 1))).toBe('refused');
  expect(await writer.change(createId(), reserveTokens('a', 1))).toBeUndefined();
  expect(bulkWrite).not.toHaveBeenCalled();
});

it('a change fails when the outcome of its write is unknown, and the next change reads the stored account', async () => {
  const owner = await newAccount(10);
  const accounts = collection();
  const writer = new AccountWriter(accounts);
  const bulkWrite = accounts.bulkWrite.bind(accounts);
  jest.spyOn(accounts, 'bulkWrite').mockImplementationOnce(async (...args) => {
    await bulkWrite(...args);
    throw new Error('the connection broke');
  });
  await expect(writer.change(owner, reserveTokens('a', 6))).rejects.toThrow('broke');
  expect(await writer.change(owner, reserveTokens('b', 6))).toBe('refused');
  // The retry replaces the reservation of the first attempt.
  expect(await writer.change(owner, reserveTokens('a', 10))).toBe('granted');
});

it('deleting a subuser removes its budgets from its owner’s account', async () => {
  const store = new AccountStore(mongo.db);
  const [owner, subuser] = [createId(), createId()];
  await store.ensure(owner, now);
  const scopes = [{ kind: 'owner' }, { kind: 'guests', userId: subuser }] as const;
  for (const scope of scopes)
    await store.change(owner, (account) => {
      const spec = { setBy: 'owner', scope, period: 'day', maxTokens: 1 } as const;
      return { account: setBudget(account, { ...spec, requestId: scope.kind }, now), result: 0 };
    });
  await store.deleteByUser(subuser);
  expect((await store.find(owner))?.budgets.map(({ scope }) => scope.kind)).toEqual(['owner']);
  expect(await store.hasBudgets(owner)).toBe(true);
  await store.deleteByUser(owner);
  expect(await store.find(owner)).toBeUndefined();
});
