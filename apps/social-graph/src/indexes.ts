import { deadLetterIndexes, outboxIndexes } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import { deletedUserIndexes } from '@daycare/service-kit';
import { budgetIndexes } from './store/budget-store';
import { tieIndexes } from './store/tie-store';

/** Every collection of the service's database. */
export const indexes: readonly CollectionIndexes[] = [
  tieIndexes,
  budgetIndexes,
  deletedUserIndexes,
  deadLetterIndexes,
  ...outboxIndexes,
];
