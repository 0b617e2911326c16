import { MongoClient, type Collection } from 'mongodb';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import type { BenchStack } from '../bench-stack';
import { createUser } from './identity-users';

export interface Person extends User {
  readonly as: CallOptions;
}

export type SocialGraphClient = RpcClient<typeof SocialGraphServiceService>;

export function connectSocialGraph(stack: BenchStack): SocialGraphClient {
  const address = stack.addressOf('social-graph');
  return createRpcClient(SocialGraphServiceService, { address, timeoutMs: 20_000 });
}

/** Users with tokens of their own. */
export async function createPeople(stack: BenchStack, count: number): Promise<Person[]> {
  const address = stack.addressOf('identity');
  const metadata = stack.adminMetadata;
  const identity = createRpcClient(IdentityServiceService, {
    address,
    metadata,
    timeoutMs: 20_000,
  });
  const people: Person[] = [];
  while (people.length < count) {
    const batch = Array.from({ length: Math.min(20, count - people.length) }, async () => {
      const user = await createUser(identity);
      const request = { userId: user.id, agentId: '', publicKeyJwk: '' };
      const { tokens } = await identity.issueToken(request);
      const authorization = `Bearer ${tokens?.accessToken ?? ''}`;
      return { ...user, as: { metadata: { authorization } } };
    });
    people.push(...(await Promise.all(batch)));
  }
  identity.close();
  return people;
}

type Bond =
  { kind: 'friends'; since: Date } | { kind: 'requested'; by: 'low' | 'high'; since: Date };
type Member = Pick<User, 'id' | 'nametag'>;

/** A tie as social-graph stores it, to fill the collection faster than calls would. */
export function makeTie(one: Member, other: Member, askedBy?: Member): object {
  const [low, high] = one.id < other.id ? [one, other] : [other, one];
  const since = new Date();
  const by = askedBy?.id === low.id ? 'low' : 'high';
  const bond: Bond = askedBy ? { kind: 'requested', by, since } : { kind: 'friends', since };
  const listOf = (side: 'low' | 'high'): string =>
    askedBy ? (by === side ? 'request_out' : 'request_in') : 'friend';
  return {
    _id: `${low.id}:${high.id}`,
    low: low.id,
    high: high.id,
    lowNametag: low.nametag,
    highNametag: high.nametag,
    version: 1,
    bond,
    cooldownUntil: {},
    blockedSince: {},
    requestToldAt: {},
    shares: [],
    recent: [],
    lowList: listOf('low'),
    lowKey: high.nametag,
    highList: listOf('high'),
    highKey: low.nametag,
    lowMark: 1,
    highMark: 1,
  };
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

/** Fills the collection up to `count` ties of other people, unless an earlier workload has. */
export async function storeStrangersTies(stack: BenchStack, count: number): Promise<void> {
  const client = await new MongoClient(stack.mongoUrl).connect();
  const stored = await client.db('social-graph').collection('ties').estimatedDocumentCount();
  await client.close();
  if (stored < count) await storeTies(stack, strangersTies(count));
}

/** Ties among users that do not exist, so that the collection has its full size. */
function* strangersTies(count: number): Iterable<object> {
  const stranger = (index: number): Member => ({
    id: `stranger${index.toString(36).padStart(16, '0')}`,
    nametag: `stranger${index}`,
  });
  const perPerson = 100;
  for (let made = 0; made < count; made += 1) {
    const person = Math.floor(made / perPerson);
    yield makeTie(stranger(person), stranger(1_000_000_000 + made));
  }
}
