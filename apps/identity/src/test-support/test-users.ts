import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { reservationIndexes } from '../store/reservation-store';
import { userIndexes } from '../store/user-document';
import { UserStore } from '../store/user-store';

/** A user store on a separate database. */
export interface TestUsers {
  readonly mongo: MongoConnection;
  readonly users: UserStore;
  close(): Promise<void>;
}

export async function openTestUsers(): Promise<TestUsers> {
  const mongo = await testDatabase('identity');
  await ensureIndexes(mongo.db, [userIndexes, ...reservationIndexes]);
  return { mongo, users: new UserStore(mongo.db, subuserLimits(100)), close: () => mongo.close() };
}
