import type { Collection, Db, Document, Filter } from 'mongodb';
import { afterPosition, makeListDocuments, type ListDocuments } from '@daycare/mongo';
import type { Agent, AgentOutline } from '../domain/agent';
import type { Descriptor } from '../domain/descriptor/descriptor';
import { labelOf } from '../domain/descriptor/descriptor-kinds';
import { agentCollection } from './agent-document';

interface OutlineDocument extends Pick<
  Agent,
  'userId' | 'kind' | 'createdAt' | 'lastActiveAt' | 'diedAt' | 'waiting' | 'nameTrust'
> {
  readonly _id: string;
  readonly key: string;
  readonly descriptor: Descriptor;
}

export interface ScopeListing {
  readonly userIds: readonly string[];
  readonly includeDead: boolean;
  /** The last agent of the previous page. */
  readonly after: Pick<Agent, 'userId' | 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

export interface SurveyedScope {
  readonly userIds: readonly string[];
  /** Subusers whose gateways are surveyed as well. */
  readonly gatewayUserIds: readonly string[];
  readonly includeDead: boolean;
}

/** A summary of a scope, computed without reading its agents' documents. */
export interface ScopeSurvey {
  /** The number of agents that belong to the scope's users. */
  readonly count: number;
  /** The number of gateways of those `gatewayUserIds` that are not among the scope's users. */
  readonly gatewayCount: number;
  /**
   * Changes when an agent in the scope is created, renamed or deleted, wakes, dies, falls asleep, or starts or stops
   * waiting.
   */
  readonly digest: string;
  /** Changes when one of the gateways counted in `gatewayCount` is created, deleted or dies. */
  readonly gatewayDigest: string;
  /** When the agent that will fall asleep first was last active; undefined when none is awake. */
  readonly firstActiveAt: Date | undefined;
}

/** The fields of a gateway that are shown in lists. */
export type GatewayOutline = Pick<Agent, 'id' | 'userId' | 'lastActiveAt' | 'diedAt' | 'nameTrust'>;

/** The fields shown in lists, and the parts of descriptors that make up labels; omits prompts, which can be long. */
const outlineFields = {
  userId: 1,
  kind: 1,
  createdAt: 1,
  lastActiveAt: 1,
  diedAt: 1,
  waiting: 1,
  nameTrust: 1,
  'descriptor.kind': 1,
  'descriptor.id': 1,
  'descriptor.name': 1,
  'descriptor.connector': 1,
  'descriptor.connectorUserId': 1,
  'descriptor.channelId': 1,
};

const gatewayFields = { userId: 1, 'descriptor.id': 1, lastActiveAt: 1, diedAt: 1, nameTrust: 1 };

/** Reads what lists show of the agents of several users; `AgentStore` changes agents. */
export class OutlineStore {
  readonly #agents: Collection<OutlineDocument>;
  readonly #listAgents: ListDocuments<OutlineDocument>;
  readonly #listGateways: ListDocuments<OutlineDocument>;

  constructor(db: Db) {
    this.#agents = db.collection(agentCollection);
    this.#listAgents = makeListDocuments(this.#agents);
    this.#listGateways = makeListDocuments(this.#agents);
  }

  /** Lists agents, sorted by user, each user's newest first. */
  async list({ userIds, includeDead, after, limit }: ScopeListing): Promise<AgentOutline[]> {
    const sort = { userId: 1, createdAt: -1, _id: -1 } as const;
    const filter: Filter<OutlineDocument> = {
      userId: { $in: userIds.filter((userId) => userId >= (after?.userId ?? '')) },
      ...(includeDead ? {} : { diedAt: { $exists: false } }),
      ...(after && afterPosition(sort, { ...after, _id: after.id })),
    };
    const options = { hint: 'user_newest', projection: outlineFields, sort, limit };
    return (await this.#listAgents(filter, options)).map(toOutline);
  }

  /** Finds the gateways of these subusers, dead ones included. */
  async findGateways(userIds: readonly string[]): Promise<GatewayOutline[]> {
    const found = await this.#listGateways(gatewaysOf(userIds), { projection: gatewayFields });
    return found
      .filter(({ userId, descriptor }) => 'id' in descriptor && descriptor.id === userId)
      .map(({ _id: id, userId, lastActiveAt, diedAt, nameTrust }) =>
        withTrust({ id, userId, lastActiveAt, diedAt }, nameTrust),
      );
  }

  /** Reads only indexes, so it stays fast even for far more agents than fit on a page. */
  async survey(scope: SurveyedScope, awakeSince: Date): Promise<ScopeSurvey> {
    const { userIds, includeDead } = scope;
    const otherUserIds = usersOutsideScope(scope);
    const gateways = { coll: agentCollection, pipeline: gatewaySums(otherUserIds) };
    const found = await this.#agents
      .aggregate<StateSums>(
        [
          ...agentSums(userIds, awakeSince),
          ...(otherUserIds.length === 0 ? [] : [{ $unionWith: gateways }]),
        ],
        { hint: 'user_outline' },
      )
      .toArray();
    const sums = found.filter(({ _id: state }) => includeDead || !deadStates.includes(state));
    const agentRows = sums.filter(({ _id: state }) => agentStates.includes(state));
    const gatewayRows = sums.filter(({ _id: state }) => gatewayStates.includes(state));
    return {
      count: totalCount(agentRows),
      gatewayCount: totalCount(gatewayRows),
      digest: digestOf(agentRows),
      gatewayDigest: digestOf(gatewayRows),
      firstActiveAt: agentRows.find(({ _id: state }) => state === 'awake')?.firstActiveAt,
    };
  }
}

/** Returns the subusers whose gateways are not among the scope's agents. */
function usersOutsideScope({ userIds, gatewayUserIds }: SurveyedScope): readonly string[] {
  const inScope = new Set(userIds);
  return gatewayUserIds.filter((userId) => !inScope.has(userId));
}

const agentStates = ['awake', 'asleep', 'dead'];
const gatewayStates = ['gateway', 'dead gateway'];
const deadStates = ['dead', 'dead gateway'];

/** Sums over the agents or gateways in one state. */
interface StateSums {
  readonly _id: string;
  readonly count: number;
  readonly marks: unknown;
  readonly changes?: unknown;
  readonly died?: unknown;
  readonly firstActiveAt?: Date;
}

function totalCount(sums: readonly StateSums[]): number {
  return sums.reduce((total, { count }) => total + count, 0);
}

function digestOf(sums: readonly StateSums[]): string {
  return sums
    .map(({ _id: state, count, marks, changes, died }) =>
      [state, count, marks, changes ?? died].join('-'),
    )
    .sort()
    .join('+');
}

// A filter on a missing `diedAt` would read the documents: the index does not distinguish missing from null.
const isAlive = { $lte: ['$diedAt', null] };
// Agents stored by earlier versions have no `mark`; 1 is used instead, so that their creation, deletion, waking and
// falling asleep still change the sums.
const mark = { $ifNull: ['$mark', 1] };

/** Groups by state, which is computed once for each agent rather than once for each sum. */
function agentSums(userIds: readonly string[], awakeSince: Date): Document[] {
  const isAwake = { $gt: ['$lastActiveAt', awakeSince] };
  const sums = {
    _id: { $cond: [isAlive, { $cond: [isAwake, 'awake', 'asleep'] }, 'dead'] },
    count: { $sum: 1 },
    marks: { $sum: mark },
    changes: { $sum: '$changes' },
    firstActiveAt: { $min: '$lastActiveAt' },
  };
  return [{ $match: { userId: { $in: [...userIds] } } }, { $group: sums }];
}

/** Does not cover waking and sleeping: only the owner may see whether a gateway is awake. */
function gatewaySums(userIds: readonly string[]): Document[] {
  const isGateway = { $eq: ['$descriptor.id', '$userId'] };
  const state = { $cond: [isAlive, 'gateway', 'dead gateway'] };
  const sums = {
    _id: { $cond: [isGateway, state, 'none'] },
    count: { $sum: 1 },
    marks: { $sum: mark },
    died: { $sum: { $toLong: '$diedAt' } },
  };
  return [{ $match: gatewaysOf(userIds) }, { $group: sums }];
}

function gatewaysOf(userIds: readonly string[]): Filter<OutlineDocument> {
  return { 'descriptor.id': { $in: [...userIds] }, kind: 'subuser' };
}

function toOutline(document: OutlineDocument): AgentOutline {
  const { _id: id, userId, kind, createdAt, lastActiveAt, diedAt, waiting, nameTrust } = document;
  const label = labelOf(document.descriptor);
  const outline = { id, userId, kind, label, createdAt, lastActiveAt, diedAt, waiting };
  return withTrust(outline, nameTrust);
}

/**
 * Adds the trust of a name that the user did not choose. Most names were chosen by the user, so most outlines
 * are returned without being copied.
 */
function withTrust<T extends object>(
  outline: T,
  nameTrust: Agent['nameTrust'],
): T & Pick<Agent, 'nameTrust'> {
  return nameTrust === undefined ? outline : { ...outline, nameTrust };
}
