import type { Db, Document } from 'mongodb';
import { nametagCollection, requestCollection } from './reservation-store';
import { userCollection } from './user-document';

/** The unique indexes that kept nametags and requests apart before they were reserved. */
const olderIndexes = ['nametag', 'request'];

/**
 * Reserves the nametags and requests of users from before there were reservations. The old indexes show that
 * they have to be, and are dropped last, so a crash in between repeats it.
 */
export async function adoptOlderUsers(db: Db): Promise<void> {
  const users = db.collection(userCollection);
  const present = (await users.indexes()).map(({ name }) => name);
  const older = olderIndexes.filter((name) => present.includes(name));
  if (older.length === 0) return;
  await users.aggregate(reserving('$nametag', nametagCollection)).toArray();
  const request = { scope: '$request.scope', id: '$request.id' };
  const requested = { $match: { 'request.id': { $exists: true } } };
  await users.aggregate([requested, ...reserving(request, requestCollection)]).toArray();
  for (const name of older) await users.dropIndex(name);
}

function reserving(value: unknown, into: string): Document[] {
  return [
    { $project: { _id: value, userId: '$_id' } },
    { $merge: { into, whenMatched: 'keepExisting' } },
  ];
}
