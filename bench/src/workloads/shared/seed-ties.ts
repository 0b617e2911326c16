import { MongoClient, type Collection } from 'mongodb';
import { friendTie, type TieMember } from '@daycare/testing';
import type { BenchStack } from '../../kit/bench-stack';

/**
 * Returns a tie as social-graph stores it, because inserting ties is faster than making calls: a friendship or, with
 * `requestedBy`, a pending request.
 */
export function makeTie(one: TieMember, other: TieMember, requestedBy?: TieMember): object {
  const friends = friendTie(one, other);
  if (!requestedBy) return friends;
  const by = requestedBy.id === friends['low'] ? 'low' : 'high';
  const listOf = (side: 'low' | 'high'): string => (by === side ? 'request_out' : 'request_in');
  const bond = { kind: 'requested', by, since: new Date() };
  return { ...friends, bond, lowList: listOf('low'), highList: listOf('high') };
}

/** Stores many ties, in bulk. */
export async function storeTies(stack: BenchStack, ties: Iterable<object>): Promise<void> {
  const client = await new MongoClient(stack.mongoUrl).connect();
  const collection: Collection = client.db('social-graph').collection('ties');
  let batch: object[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await collection.insertMany(batch, { ordered: false });
    batch = [];
  };
  for (const tie of ties) {
    batch.push(tie);
    if (batch.length === 10_000) await flush();
  }
  await flush();
  await client.close();
}

/** Stores ties between strangers until there are `count`; an earlier workload may have stored some of them. */
export async function storeStrangersTies(stack: BenchStack, count: number): Promise<void> {
  if (count === 0) return;
  const client = await new MongoClient(stack.mongoUrl).connect();
  const ties = client.db('social-graph').collection('ties');
  const stored = await ties.countDocuments({ low: /^stranger/ }, { limit: count });
  await client.close();
  if (stored < count) await storeTies(stack, strangersTies(stored, count));
}

const tiesPerStranger = 100;

/** Yields ties between users that do not exist, only to give the collection its size. */
function* strangersTies(start: number, end: number): Iterable<object> {
  const stranger = (index: number): TieMember => ({
    id: `stranger${index.toString(36).padStart(16, '0')}`,
    nametag: `stranger${index}`,
  });
  for (let tie = start; tie < end; tie += 1) {
    const person = Math.floor(tie / tiesPerStranger);
    yield makeTie(stranger(person), stranger(1_000_000_000 + tie));
  }
}

/** Yields ties from each of these people to `count` friends, who exist only in ties and never receive a message. */
export function* tiesToFriends(people: readonly TieMember[], count: number): Iterable<object> {
  for (const { id, nametag } of people) {
    for (let friend = 0; friend < count; friend += 1) {
      const name = `friend${friend}of${id}`;
      yield makeTie({ id, nametag }, { id: name, nametag: name });
    }
  }
}
