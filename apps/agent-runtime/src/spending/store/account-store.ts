import { Timestamp, type Collection, type Db } from 'mongodb';
import { groupReads, retryOnDuplicateKey, type CollectionIndexes } from '@daycare/mongo';
import { emptyAccount, type Account } from '../domain/account';
import { neverSet, toAccount, toDocument, type AccountDocument } from './account-document';
import { AccountWriter, type Decide } from './account-writer';

const collection = 'spending_accounts';

export const accountIndexes: CollectionIndexes = {
  collection,
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'budgets_set', key: { budgetsSetAt: 1 } },
    { name: 'scope_user', key: { 'budgets.scope.userId': 1 } },
  ],
};

/** When a budget was last set or removed, by the database's clock; a later change has a later mark. */
export type BudgetMark = Timestamp;

export interface ChangedBudgets {
  /** Whether each owner has budgets. */
  readonly owners: ReadonlyMap<string, boolean>;
  /** The mark of the newest of these changes; the mark that was passed in if there are none. */
  readonly mark: BudgetMark;
}

/** A change can become visible after one with a later mark, but no more than this many seconds after it. */
const overlapSeconds = 10;
const withBudgets = { projection: { 'budgets.id': 1 } };

/** The accounts of owners; an owner's account is created when the first budget is set. */
export class AccountStore {
  readonly #accounts: Collection<AccountDocument>;
  readonly #writer: AccountWriter;
  readonly #hasBudgets: (ownerUserId: string) => Promise<boolean | undefined>;

  constructor(db: Db) {
    this.#accounts = db.collection(collection);
    this.#writer = new AccountWriter(this.#accounts);
    this.#hasBudgets = groupReads(async (ids) => {
      const found = await this.#accounts.find({ _id: { $in: [...ids] } }, withBudgets).toArray();
      return new Map(found.map(({ _id, budgets }) => [_id, budgets.length > 0]));
    });
  }

  async hasBudgets(ownerUserId: string): Promise<boolean> {
    return (await this.#hasBudgets(ownerUserId)) ?? false;
  }

  async find(ownerUserId: string): Promise<Account | undefined> {
    const found = await this.#accounts.findOne({ _id: ownerUserId });
    return found ? toAccount(found) : undefined;
  }

  /** Returns the mark of the newest change to any budget; `neverSet` if there was none. */
  async newestMark(): Promise<BudgetMark> {
    const [newest] = await this.#accounts
      .find({}, { projection: { budgetsSetAt: 1 }, hint: 'budgets_set' })
      .sort({ budgetsSetAt: -1 })
      .limit(1)
      .toArray();
    return newest?.budgetsSetAt ?? neverSet;
  }

  /**
   * Lists the owners whose budgets were set or removed since a mark, and whether they have any left. Includes changes
   * shortly before the mark, which may have become visible late. `quietMs` says how long nothing has changed since the
   * mark: the longer, the fewer such changes are read.
   */
  async listChanged(since: BudgetMark, quietMs = 0): Promise<ChangedBudgets> {
    const overlap = Math.max(0, overlapSeconds - Math.floor(quietMs / 1_000));
    // Leaves out the accounts that never had a budget: their mark is lower than this.
    const i = overlap > 0 ? 2 : Math.max(2, since.i);
    const from = new Timestamp({ t: Math.max(0, since.t - overlap), i });
    const found = await this.#accounts
      .find(
        { budgetsSetAt: { $gte: from } },
        { projection: { 'budgets.id': 1, budgetsSetAt: 1 }, hint: 'budgets_set' },
      )
      .sort({ budgetsSetAt: 1 })
      .toArray();
    return {
      owners: new Map(found.map(({ _id, budgets }) => [_id, budgets.length > 0])),
      mark: found.at(-1)?.budgetsSetAt ?? since,
    };
  }

  /** Changes an account; returns undefined when there is none. */
  async change<T>(ownerUserId: string, decide: Decide<T>): Promise<T | undefined> {
    return this.#writer.change(ownerUserId, decide);
  }

  /** Creates an owner's account unless there is one. */
  async ensure(ownerUserId: string, now: Date): Promise<void> {
    const draft = toDocument(emptyAccount(ownerUserId, now), {
      revision: 0,
      writtenBy: '',
      budgetsSetAt: neverSet,
    });
    const { _id, ...fields } = draft;
    await retryOnDuplicateKey(() =>
      this.#accounts.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }),
    );
    this.#writer.forget(ownerUserId);
  }

  /** Deletes a user's account and, if the user is a subuser, its budgets in its owner's account. */
  async deleteByUser(userId: string): Promise<void> {
    this.#writer.forget(userId);
    await this.#accounts.deleteOne({ _id: userId });
    await this.#accounts.updateMany(
      { 'budgets.scope.userId': userId },
      { $pull: { budgets: { 'scope.userId': userId } as never }, $inc: { revision: 1 } },
    );
  }
}
