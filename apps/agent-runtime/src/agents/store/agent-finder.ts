import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { Collection, Filter } from 'mongodb';
import { groupReads } from '@daycare/mongo';

export interface UserKey {
  readonly userId: string;
  readonly key: string;
}

interface Keyed extends UserKey {
  readonly _id: string;
}

const maxRemembered = 100_000;

/** Finds agents by id or by user and key; concurrent look-ups share queries. */
export class AgentFinder<T extends Keyed> {
  /** The ids of agents that were found by user and key; may be outdated, since agents can be deleted. */
  readonly #idOf = new LRUCache<string, string>(limitEntries(maxRemembered));
  readonly find: (id: string) => Promise<T | undefined>;
  readonly #findPair: (pair: string) => Promise<T | undefined>;
  readonly #findForeground: (userId: string) => Promise<readonly T[] | undefined>;

  constructor(private readonly agents: Collection<T>) {
    // A filter on `_id` alone has the cheapest plan; callers check the rest.
    this.find = groupReads(async (ids) =>
      indexBy(await this.#list({ _id: { $in: ids } }), ({ _id }) => _id),
    );
    this.#findPair = groupReads(async (pairs) =>
      indexBy(await this.findPairs(pairs.map(readPair)), ({ userId, key }) => pairOf(userId, key)),
    );
    this.#findForeground = groupReads(async (userIds) => {
      const found = await this.#list({ userId: { $in: userIds }, foreground: true });
      return new Map(userIds.map((id) => [id, found.filter(({ userId }) => userId === id)]));
    });
  }

  /** Returns all of a user's foreground agents, dead ones included. */
  async listForeground(userId: string): Promise<readonly T[]> {
    return (await this.#findForeground(userId)) ?? [];
  }

  async findByKey(userId: string, key: string): Promise<T | undefined> {
    const pair = pairOf(userId, key);
    const id = this.#idOf.get(pair);
    const remembered = id === undefined ? undefined : await this.find(id);
    const isSame = remembered?.userId === userId && remembered.key === key;
    const found = isSame ? remembered : await this.#findPair(pair);
    if (found) this.#idOf.set(pair, found._id);
    return found;
  }

  /** Finds agents by user and key; the result may include other combinations of these users and keys. */
  findPairs(wanted: readonly UserKey[]): Promise<T[]> {
    const userId = { $in: wanted.map((each) => each.userId) };
    const key = { $in: wanted.map((each) => each.key) };
    return this.#list({ userId, key });
  }

  #list(filter: object): Promise<T[]> {
    return this.agents.find(filter as Filter<T>).toArray() as Promise<T[]>;
  }
}

function indexBy<T>(found: readonly T[], keyOf: (each: T) => string): Map<string, T> {
  return new Map(found.map((each) => [keyOf(each), each]));
}

/** User ids contain no space. */
function pairOf(userId: string, key: string): string {
  return `${userId} ${key}`;
}

function readPair(pair: string): UserKey {
  const at = pair.indexOf(' ');
  return { userId: pair.slice(0, at), key: pair.slice(at + 1) };
}
