import type { Db } from 'mongodb';
import type { OutboxStore } from '@daycare/messaging';
import { BudgetStore } from './budget-store';
import { makeCountPending } from './count-pending';
import { TieChanges } from './tie-changes';
import { TieStore } from './tie-store';

export interface TieStoresDeps {
  readonly db: Db;
  readonly outbox: Pick<OutboxStore, 'openTailOf' | 'source' | 'clock'>;
  /** How long a notice waits for its receipt before it is published again. */
  readonly republishAfterMs: number;
}

export interface TieStores {
  readonly ties: TieStore;
  readonly budgets: BudgetStore;
  readonly changes: TieChanges;
}

/** Opens the stores that are needed to change ties. */
export function openTieStores({ db, ...deps }: TieStoresDeps): TieStores {
  const ties = new TieStore(db);
  const budgets = new BudgetStore(db, makeCountPending(ties));
  return { ties, budgets, changes: new TieChanges({ ties, budgets, ...deps }) };
}
