import type { Collection, Db, Document, Filter } from 'mongodb';
import type { Agent, AgentOutline } from '../domain/agent';
import type { Descriptor } from '../domain/descriptor';
import { labelOf } from '../domain/descriptor-kinds';
import { agentCollection } from './agent-store';

interface OutlineDocument extends Pick<
  Agent,
  'userId' | 'kind' | 'createdAt' | 'lastActiveAt' | 'diedAt'
> {
  readonly _id: string;
  readonly key: string;
  readonly descriptor: Descriptor;
}

export interface ScopeListing {
  readonly userIds: readonly string[];
  readonly includeDead: boolean;
  /** The last agent of the page before. */
  readonly after: Pick<Agent, 'userId' | 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

/** What there is in a scope, without looking at every agent of it. */
export interface ScopeSurvey {
  readonly count: number;
  /** Differs when an agent of the scope comes, goes, dies, gets another name, wakes or falls asleep. */
  readonly digest: string;
  /** When the one that will fall asleep first was last needed; undefined when all are asleep. */
  readonly firstActiveAt: Date | undefined;
}

/** Prompts can be long, and nothing that a list shows is in these. */
const unseen = {
  'descriptor.systemPrompt': 0,
  'descriptor.description': 0,
  foreground: 0,
  grantedPermissions: 0,
  key: 0,
  lastUserActivityAt: 0,
  mark: 0,
  model: 0,
  ownerUserId: 0,
  promptRequests: 0,
  provider: 0,
  renamedAt: 0,
};

/** The agents of several users, as lists show them; whoever changes them does so through `AgentStore`. */
export class OutlineStore {
  readonly #agents: Collection<OutlineDocument>;

  constructor(db: Db) {
    this.#agents = db.collection(agentCollection);
  }

  /** By user, newest first. */
  async list({ userIds, includeDead, after, limit }: ScopeListing): Promise<AgentOutline[]> {
    const filter: Filter<OutlineDocument> = {
      userId: { $in: userIds.filter((userId) => userId >= (after?.userId ?? '')) },
      ...(includeDead ? {} : { diedAt: { $exists: false } }),
      ...(after ? { $or: [{ userId: { $gt: after.userId } }, ...olderInUser(after)] } : {}),
    };
    const found = await this.#agents
      .find(filter, { hint: 'user_newest', projection: unseen })
      .sort({ userId: 1, createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(toOutline);
  }

  /** By user and key; dead ones too. */
  async findByKeys(
    wanted: readonly { readonly userId: string; readonly key: string }[],
  ): Promise<AgentOutline[]> {
    const userId = { $in: wanted.map((each) => each.userId) };
    const key = { $in: wanted.map((each) => each.key) };
    const found = await this.#agents.find({ userId, key }, { projection: unseen }).toArray();
    return found.map(toOutline);
  }

  /** Read from the index alone: many more agents than a page shows take little more time. */
  async survey(
    { userIds, includeDead }: Pick<ScopeListing, 'userIds' | 'includeDead'>,
    awakeSince: Date,
  ): Promise<ScopeSurvey> {
    // Asking for those without a date of death would read them all: an index does not tell none from null.
    const isAlive = { $lte: ['$diedAt', null] };
    const isSeen = includeDead || isAlive;
    const isAwake = { $and: [isAlive, { $gt: ['$lastActiveAt', awakeSince] }] };
    // Agents of earlier versions have no mark; that one of them comes, goes, wakes or falls asleep still shows.
    const mark = { $ifNull: ['$mark', 1] };
    const sumOf = (which: unknown, value: unknown) => ({ $sum: { $cond: [which, value, 0] } });
    const [found] = await this.#agents
      .aggregate<{ count: number; firstActiveAt: Date | null } & Document>(
        [
          { $match: { userId: { $in: [...userIds] } } },
          {
            $group: {
              _id: null,
              count: sumOf(isSeen, 1),
              all: sumOf(isSeen, mark),
              awake: sumOf(isAwake, mark),
              renamed: sumOf(isSeen, { $toLong: '$renamedAt' }),
              died: sumOf(isSeen, { $toLong: '$diedAt' }),
              firstActiveAt: { $min: { $cond: [isAwake, '$lastActiveAt', null] } },
            },
          },
        ],
        { hint: 'user_outline' },
      )
      .toArray();
    if (!found?.count) return { count: 0, digest: '', firstActiveAt: undefined };
    const { count, firstActiveAt, all, awake, renamed, died } = found;
    const digest = [count, all, awake, renamed, died].map(String).join('-');
    return { count, digest, firstActiveAt: firstActiveAt ?? undefined };
  }
}

function olderInUser({
  userId,
  createdAt,
  id,
}: NonNullable<ScopeListing['after']>): Filter<OutlineDocument>[] {
  return [
    { userId, createdAt: { $lt: createdAt } },
    { userId, createdAt, _id: { $lt: id } },
  ];
}

function toOutline(document: OutlineDocument): AgentOutline {
  const { _id: id, userId, kind, createdAt, lastActiveAt, diedAt } = document;
  const label = labelOf(document.descriptor);
  return { id, userId, kind, label, createdAt, lastActiveAt, diedAt };
}
