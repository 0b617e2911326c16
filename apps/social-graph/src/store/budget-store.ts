import type { ClientSession, Collection, Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { RequestBudget } from '../domain/request-budget';

interface BudgetDocument {
  readonly _id: string;
  readonly madeAt: readonly Date[];
  readonly expiresAt: Date;
}

const collection = 'request_budgets';
const hourMs = 60 * 60 * 1000;

export const budgetIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** The requests each user made in the last hour. Reading one in a transaction is for writing it. */
export class BudgetStore {
  readonly #budgets: Collection<BudgetDocument>;

  constructor(db: Db) {
    this.#budgets = db.collection<BudgetDocument>(collection);
  }

  async find(userId: string, session: ClientSession): Promise<RequestBudget> {
    const found = await this.#budgets.findOne({ _id: userId }, { session });
    return { madeAt: found?.madeAt ?? [] };
  }

  /** Two requests of one user at the same moment conflict here, so that each sees the other. */
  async save(
    userId: string,
    { madeAt }: RequestBudget,
    now: Date,
    session: ClientSession,
  ): Promise<void> {
    const expiresAt = new Date(now.getTime() + hourMs);
    const change = { $set: { madeAt: [...madeAt], expiresAt } };
    await this.#budgets.updateOne({ _id: userId }, change, { session, upsert: true });
  }
}
