import { outboxIndexes } from '@daycare/messaging';
import type { CollectionIndexes } from '@daycare/mongo';
import { deletedUserIndexes } from '@daycare/service-kit';
import { agentsIndexes } from './agents/build';
import { execIndexes } from './exec/build';
import { filesIndexes } from './files/build';
import { homesIndexes } from './homes/build';
import { messagingIndexes } from './messaging/build';
import { modelsIndexes } from './models/build';
import { permissionsIndexes } from './permissions/build';
import { schedulesIndexes } from './schedules/build';
import { toolsIndexes } from './tools/build';
import { spendingIndexes } from './spending/build';
import { turnsIndexes } from './turns/build';

/** The indexes of every collection in the service's database. */
export const indexes: readonly CollectionIndexes[] = [
  ...agentsIndexes,
  ...messagingIndexes,
  ...filesIndexes,
  ...homesIndexes,
  ...execIndexes,
  ...modelsIndexes,
  ...permissionsIndexes,
  ...schedulesIndexes,
  ...toolsIndexes,
  ...spendingIndexes,
  ...turnsIndexes,
  deletedUserIndexes,
  ...outboxIndexes,
];
