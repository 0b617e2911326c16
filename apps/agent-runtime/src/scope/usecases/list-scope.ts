import { FieldChecks, fitPage, type FittedPage, readPageToken } from '@daycare/api';
import {
  type AgentOutline,
  type AgentWait,
  type GatewayOutline,
  type Lifecycle,
  lifecycleOf,
  type OutlineReader,
} from '../../agents';
import type {
  Cron,
  CronReader,
  Heartbeat,
  HeartbeatReader,
  ScopePosition,
  SurveySchedules,
} from '../../schedules';
import {
  readScopePositions,
  scopeTokenOf,
  type ListPosition,
  type ScopePositions,
} from './scope-token';

export interface ListScopeCall {
  readonly userIds: readonly string[];
  /** Subusers for which only the gateway is listed. */
  readonly gatewayUserIds: readonly string[];
  readonly includeDead: boolean;
  readonly pageSize: number;
  readonly pageToken: string;
  /** The digest of the response that the caller has cached; undefined when it has none. */
  readonly knownDigest?: string | undefined;
}

export interface ScopedAgent<A = AgentOutline> {
  readonly agent: A;
  readonly lifecycle: Lifecycle;
  /** The transient failure that the agent's work is waiting out. */
  readonly waiting?: AgentWait | undefined;
}

export interface Scope {
  readonly agents: readonly ScopedAgent[];
  readonly gateways: readonly ScopedAgent<GatewayOutline>[];
  readonly crons: readonly Cron[];
  readonly heartbeats: readonly Heartbeat[];
  readonly agentCount: number;
  readonly cronCount: number;
  readonly heartbeatCount: number;
  readonly nextPageToken: string;
  /** Changes when anything that the lists show changes, on whichever page; never empty. */
  readonly digest: string;
  /** Like `digest`, but without the gateways; empty when `unchanged`. */
  readonly listDigest: string;
  /** The time until the next agent falls asleep if nothing happens; 0 when no agent will. */
  readonly changesInMs: number;
  /** Whether the response that the caller has cached is current; nothing is listed then. */
  readonly unchanged: boolean;
}

export interface ListScopeDeps {
  readonly outlines: OutlineReader;
  readonly crons: CronReader;
  readonly heartbeats: HeartbeatReader;
  readonly surveySchedules: SurveySchedules;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

const maxUsers = 2_000;
const firstPage: ScopePositions = {
  agents: undefined,
  crons: undefined,
  heartbeats: undefined,
};
/** Prompts can be long, and three lists share one response. */
const maxPageBytes = 1_048_576;
const nothing = {
  agents: [],
  gateways: [],
  crons: [],
  heartbeats: [],
  agentCount: 0,
  cronCount: 0,
  heartbeatCount: 0,
  nextPageToken: '',
  listDigest: '',
};

/**
 * Lists the agents and schedules of a set of users, and the gateways of another set, with a constant
 * number of queries: two that survey the scope, and one for each list that is not empty.
 */
export function makeListScope(deps: ListScopeDeps) {
  return async (call: ListScopeCall): Promise<Scope> => {
    const { positions, limit } = check(call);
    const now = deps.now();
    // Surveyed before the lists are read: a change in between may appear in the lists, and changes the next digest.
    const { digest, firstActiveAt, ...counts } = await surveyScope(deps, call, now);
    const changesInMs = nextSleepInMs(firstActiveAt, deps.sleepAfterMs, now);
    const unchanged = call.knownDigest === digest;
    if (unchanged) return { ...nothing, digest, changesInMs, unchanged };
    const { gatewayCount, ...lists } = counts;
    const [agents, crons, heartbeats, gateways] = await Promise.all([
      readPage(
        counts.agentCount > 0 ? positions.agents : 'end',
        limit,
        (listing) => deps.outlines.list({ ...call, ...listing }),
        ({ id, userId, label }) => id + userId + label,
      ),
      readPage(counts.cronCount > 0 ? positions.crons : 'end', limit, (listing) =>
        deps.crons.list({ ...call, ...listing }),
      ),
      readPage(counts.heartbeatCount > 0 ? positions.heartbeats : 'end', limit, (listing) =>
        deps.heartbeats.list({ ...call, ...listing }),
      ),
      // A gateway of a listed user is counted among the agents.
      gatewayCount + counts.agentCount > 0 ? findGateways(deps, call) : [],
    ]);
    const describe = makeDescribe(deps, now);
    return {
      agents: agents.page.map(describe),
      gateways: gateways.map(describe),
      crons: crons.page,
      heartbeats: heartbeats.page,
      ...lists,
      nextPageToken: scopeTokenOf({
        agents: agents.last,
        crons: crons.last,
        heartbeats: heartbeats.last,
      }),
      digest,
      changesInMs,
      unchanged,
    };
  };
}

async function surveyScope(
  { outlines, surveySchedules, sleepAfterMs }: ListScopeDeps,
  call: ListScopeCall,
  now: Date,
) {
  const [agents, { crons, heartbeats }] = await Promise.all([
    outlines.survey(call, new Date(now.getTime() - sleepAfterMs)),
    surveySchedules(call.userIds),
  ]);
  const listDigest = [agents.digest, crons.digest, heartbeats.digest].join('.');
  return {
    agentCount: agents.count,
    gatewayCount: agents.gatewayCount,
    cronCount: crons.count,
    heartbeatCount: heartbeats.count,
    listDigest,
    digest: `${listDigest}.${agents.gatewayDigest}`,
    firstActiveAt: agents.firstActiveAt,
  };
}

async function readPage<T extends ScopePosition>(
  position: ListPosition,
  limit: number,
  list: (listing: { after: ScopePosition | undefined; limit: number }) => Promise<T[]>,
  shown?: (element: T) => unknown,
): Promise<FittedPage<T>> {
  if (position === 'end') return { page: [], last: undefined };
  const found = await list({ after: position, limit: limit + 1 });
  return fitPage(found, limit, shown, maxPageBytes);
}

async function findGateways(
  { outlines }: ListScopeDeps,
  { gatewayUserIds, includeDead }: ListScopeCall,
): Promise<GatewayOutline[]> {
  if (gatewayUserIds.length === 0) return [];
  const found = await outlines.findGateways(gatewayUserIds);
  return found.filter(({ diedAt }) => includeDead || !diedAt);
}

function makeDescribe({ sleepAfterMs }: ListScopeDeps, now: Date) {
  return <A extends GatewayOutline & Pick<AgentOutline, 'waiting'>>(agent: A): ScopedAgent<A> => ({
    agent,
    lifecycle: lifecycleOf(agent, undefined, now, sleepAfterMs),
    waiting:
      !agent.diedAt && agent.waiting && agent.waiting.until > now ? agent.waiting : undefined,
  });
}

function nextSleepInMs(activeAt: Date | undefined, sleepAfterMs: number, now: Date): number {
  return activeAt ? Math.max(0, activeAt.getTime() + sleepAfterMs - now.getTime()) : 0;
}

function check(call: ListScopeCall): { positions: ScopePositions; limit: number } {
  const checks = new FieldChecks();
  const limit = checks.pageSize(call.pageSize);
  const range = { min: 0, max: maxUsers };
  checks.count(call.userIds.length, 'user_ids', range);
  checks.count(call.gatewayUserIds.length, 'gateway_user_ids', range);
  call.userIds.forEach((id, index) => checks.id(id, `user_ids[${index}]`));
  call.gatewayUserIds.forEach((id, index) => checks.id(id, `gateway_user_ids[${index}]`));
  const positions = readPageToken(call.pageToken, checks, readScopePositions);
  checks.done();
  return { positions: positions ?? firstPage, limit };
}
