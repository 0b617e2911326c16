import type { Document } from 'mongodb';
import { connectMongo, fingerprint } from '@daycare/mongo';
import { uniqueName } from './unique-name';

/** The size of a user's account. */
export interface LargeAccountSize {
  readonly subusers: number;
  /** Each friend shares a subuser with the user. */
  readonly friends: number;
  /** The agents of the user and of the user's subusers together, gateways included. */
  readonly agents: number;
}

export interface LargeAccountStores {
  readonly mongoUrl: string;
  readonly databaseOf: (service: 'identity' | 'social-graph' | 'agent-runtime') => string;
}

/** A user on one side of a tie. */
export interface TieMember {
  readonly id: string;
  readonly nametag: string;
}

interface Member extends TieMember {
  readonly parentUserId?: string;
}

/**
 * Stores a user's data directly in the services' databases, in bulk, because calls would take minutes. The user must
 * exist and have nothing yet. Returns the prefix of the ids of all other users.
 */
export async function seedLargeAccount(
  stores: LargeAccountStores,
  owner: Member,
  size: LargeAccountSize,
): Promise<string> {
  const name = uniqueName('h').replace(/[^a-z0-9]/g, '');
  const friends = createMany(size.friends, (n) => memberOf(`${name}f${n}`));
  const subusers = createMany(size.subusers, (n) => memberOf(`${name}s${n}`, owner.id));
  const friendsSubusers = friends.map((friend) => memberOf(`${friend.id}s`, friend.id));
  const accountUsers = [owner, ...subusers];
  const otherAgents = createMany(Math.max(size.agents - subusers.length, 0), (n) =>
    agentOf(accountUsers[n % accountUsers.length]!, { kind: 'permanent', id: `${name}a${n}` }),
  );
  const gateways = [...subusers, ...friendsSubusers].map((user) =>
    agentOf(user, { kind: 'subuser' }),
  );
  const agents = [...gateways, ...otherAgents];
  const ties = friends.map((friend, index) => sharingTie(owner, friend, friendsSubusers[index]!));
  const users = [...friends, ...subusers, ...friendsSubusers];
  await store(stores, 'identity', 'users', users.map(userDocument));
  await store(stores, 'social-graph', 'ties', ties);
  await store(stores, 'agent-runtime', 'agents', agents);
  await store(stores, 'agent-runtime', 'history', agents.map(historyOf));
  return name;
}

async function store(
  { mongoUrl: url, databaseOf }: LargeAccountStores,
  service: Parameters<LargeAccountStores['databaseOf']>[0],
  collection: string,
  documents: Document[],
): Promise<void> {
  if (documents.length === 0) return;
  const mongo = await connectMongo({ url, database: databaseOf(service), appName: 'daycare-test' });
  try {
    await mongo.db.collection(collection).insertMany(documents, { ordered: false });
  } finally {
    await mongo.close();
  }
}

function createMany<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function memberOf(id: string, parentUserId?: string): Member {
  return { id, nametag: `${id}0`, ...(parentUserId === undefined ? {} : { parentUserId }) };
}

function userDocument({ id, ...member }: Member): Document {
  const words = { name: `Name of ${id}`, description: '' };
  return { _id: id, ...member, ...words, createdAt: new Date(), createdBy: 'test' };
}

/** Returns a friendship as social-graph stores it. */
export function friendTie(one: TieMember, other: TieMember): Document {
  const [low, high] = one.id < other.id ? [one, other] : [other, one];
  return {
    _id: `${low.id}:${high.id}`,
    low: low.id,
    high: high.id,
    lowNametag: low.nametag,
    highNametag: high.nametag,
    version: 1,
    bond: { kind: 'friends', since: new Date() },
    cooldownUntil: {},
    blockedSince: {},
    requestNotifiedAt: {},
    shares: [],
    limits: {},
    offers: {},
    recent: [],
    lowList: 'friend',
    lowKey: high.nametag,
    highList: 'friend',
    highKey: low.nametag,
    lowMark: fingerprint(high.id),
    highMark: fingerprint(low.id),
  };
}

function sharingTie(owner: Member, friend: Member, { id, nametag }: Member): Document {
  const since = new Date();
  const side = friend.id < owner.id ? 'low' : 'high';
  const terms = { owner: side, status: 'active', offeredAt: since, acceptedAt: since };
  const names = { subuserNametag: nametag, subuserName: `Name of ${id}`, subuserDescription: '' };
  const shares = [{ subuserId: id, ...names, ...terms }];
  return { ...friendTie(owner, friend), shares };
}

/**
 * Returns an agent as agent-runtime stores it. The id in a gateway's descriptor is its user's id. About one agent in
 * four is awake.
 */
function agentOf(user: Member, { kind, id = user.id }: { kind: string; id?: string }): Document {
  const at = new Date();
  const _id = `${kind}${id}`;
  const mark = fingerprint(_id);
  const yesterday = new Date(at.getTime() - 86_400_000);
  return {
    _id,
    userId: user.id,
    ...(user.parentUserId === undefined ? {} : { ownerUserId: user.parentUserId }),
    kind,
    key: `/${kind}/${id}`,
    descriptor: { kind, id, name: `Agent ${id}`, description: '', systemPrompt: '' },
    foreground: false,
    shard: 0,
    provider: 'local',
    model: 'local',
    createdAt: at,
    lastActiveAt: mark % 4 === 0 ? at : yesterday,
    mark,
  };
}

function historyOf({ _id: agentId, userId, createdAt: at }: Document): Document {
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const state = { lastSequence: 1, contextFrom: 1, contextTokens: 0, usage };
  const writer = { number: 1, fence: 0, holder: '' };
  return { agentId, userId, ...writer, at, events: [{ kind: 'start' }], state };
}
