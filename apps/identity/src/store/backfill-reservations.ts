import { MongoServerError, type Collection, type Db, type Document } from 'mongodb';
import { nametagCollection, requestCollection } from './reservation-store';
import { userCollection } from './user-document';

/** The indexes that kept nametags and requests unique before reservations existed. */
const olderIndexes = ['nametag', 'request'];

/**
 * Reserves the nametags and requests of users stored before reservations existed. As long as one of the old indexes
 * exists, this has not been completed; they are dropped last, so that the work is repeated after a crash.
 */
export async function backfillReservations(db: Db): Promise<void> {
  const users = db.collection(userCollection);
  const present = (await users.indexes()).map(({ name }) => name);
  const older = olderIndexes.filter((name) => present.includes(name));
  if (older.length === 0) return;
  await users.aggregate(reservationStages('$nametag', nametagCollection)).toArray();
  const request = { scope: '$request.scope', id: '$request.id' };
  const hasRequest = { $match: { 'request.id': { $exists: true } } };
  await users.aggregate([hasRequest, ...reservationStages(request, requestCollection)]).toArray();
  for (const name of older) await dropIndex(users, name);
}

const indexNotFound = 27;

/** Succeeds when the index is already gone, since another replica that starts at the same time may have dropped it. */
async function dropIndex(users: Collection, name: string): Promise<void> {
  await users.dropIndex(name).catch((error: unknown) => {
    if (!(error instanceof MongoServerError && error.code === indexNotFound)) throw error;
  });
}

function reservationStages(value: unknown, into: string): Document[] {
  return [
    { $project: { _id: value, userId: '$_id' } },
    { $merge: { into, whenMatched: 'keepExisting' } },
  ];
}
