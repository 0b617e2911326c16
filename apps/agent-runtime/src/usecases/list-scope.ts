import { FieldChecks, fitPage, type FittedPage, readPageToken } from '@daycare/errors';
import { lifecycleOf, type Agent, type Lifecycle } from '../domain/agent';
import type { Cron, Heartbeat } from '../domain/schedule';
import { gatewayKey, labelOf } from '../domain/descriptor-kinds';
import type { AgentStore } from '../store/agent-store';
import type { CronStore } from '../store/cron-store';
import type { HeartbeatStore } from '../store/heartbeat-store';
import type { HistoryStore } from '../store/history-store';
import type { ScopePlace } from '../store/owned-rows';
import { readScopePlaces, scopeTokenOf, type ListPlace, type ScopePlaces } from './scope-token';

export interface ListScopeCall {
  readonly userIds: readonly string[];
  /** Subusers of whom only the gateway is wanted. */
  readonly gatewayUserIds: readonly string[];
  readonly includeDead: boolean;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ScopedAgent {
  readonly agent: Agent;
  readonly lifecycle: Lifecycle;
}

export interface Scope {
  readonly agents: readonly ScopedAgent[];
  readonly gateways: readonly ScopedAgent[];
  readonly crons: readonly Cron[];
  readonly heartbeats: readonly Heartbeat[];
  readonly agentCount: number;
  readonly cronCount: number;
  readonly heartbeatCount: number;
  readonly nextPageToken: string;
  /** Differs when something does that is not on the first page; empty when that has it all. */
  readonly digest: string;
}

export interface ScopeDeps {
  readonly agents: AgentStore;
  readonly crons: CronStore;
  readonly heartbeats: HeartbeatStore;
  readonly history: HistoryStore;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

const mostUsers = 2_000;
const fromTheBeginning: ScopePlaces = {
  agents: undefined,
  crons: undefined,
  heartbeats: undefined,
};
/** Prompts can be long, and three lists go into one answer. */
const mostPageBytes = 1_048_576;

/**
 * The agents and schedules of a set of users, and the gateways of another; a constant number of queries
 * however many there are.
 */
export function makeListScope(deps: ScopeDeps) {
  return async (call: ListScopeCall): Promise<Scope> => {
    const { places, limit } = check(call);
    const [agents, crons, heartbeats, gateways, counts] = await Promise.all([
      onePage(
        places.agents,
        limit,
        (listing) => deps.agents.listScope({ ...call, ...listing }),
        ({ id, userId, descriptor }) => [id, userId, labelOf(descriptor)],
      ),
      onePage(places.crons, limit, (listing) => deps.crons.list({ ...call, ...listing })),
      onePage(places.heartbeats, limit, (listing) => deps.heartbeats.list({ ...call, ...listing })),
      findGateways(deps, call),
      count(deps, call),
    ]);
    const nextPageToken = scopeTokenOf({
      agents: agents.last,
      crons: crons.last,
      heartbeats: heartbeats.last,
    });
    const isWhole = call.pageToken === '' && nextPageToken === '';
    const [described, digest] = await Promise.all([
      describe(deps, [...agents.page, ...gateways]),
      isWhole ? '' : digestOf(deps, call),
    ]);
    return {
      agents: described.slice(0, agents.page.length),
      gateways: described.slice(agents.page.length),
      crons: crons.page,
      heartbeats: heartbeats.page,
      ...counts,
      nextPageToken,
      digest,
    };
  };
}

async function onePage<T extends ScopePlace>(
  place: ListPlace,
  limit: number,
  list: (listing: { after: ScopePlace | undefined; limit: number }) => Promise<T[]>,
  shown?: (element: T) => unknown,
): Promise<FittedPage<T>> {
  if (place === 'end') return { page: [], last: undefined };
  const found = await list({ after: place, limit: limit + 1 });
  return fitPage(found, limit, shown, mostPageBytes);
}

async function count({ agents, crons, heartbeats }: ScopeDeps, call: ListScopeCall) {
  const [agentCount, cronCount, heartbeatCount] = await Promise.all([
    agents.countScope(call),
    crons.count(call.userIds),
    heartbeats.count(call.userIds),
  ]);
  return { agentCount, cronCount, heartbeatCount };
}

/** When a busy agent that nobody has written to falls asleep is not told by what is stored of it. */
async function digestOf(deps: ScopeDeps, call: ListScopeCall): Promise<string> {
  const awakeSince = new Date(deps.now().getTime() - deps.sleepAfterMs);
  const digests = await Promise.all([
    deps.agents.digestScope(call, awakeSince),
    deps.crons.digest(call.userIds),
    deps.heartbeats.digest(call.userIds),
  ]);
  return digests.join('.');
}

async function findGateways(
  { agents }: ScopeDeps,
  { gatewayUserIds, includeDead }: ListScopeCall,
): Promise<Agent[]> {
  if (gatewayUserIds.length === 0) return [];
  const wanted = gatewayUserIds.map((userId) => ({ userId, key: gatewayKey(userId) }));
  const found = await agents.findByKeys(wanted);
  return found.filter(({ diedAt }) => includeDead || !diedAt);
}

async function describe(
  { history, sleepAfterMs, now }: ScopeDeps,
  agents: readonly Agent[],
): Promise<ScopedAgent[]> {
  const heads = await history.findHeads([...new Set(agents.map(({ id }) => id))]);
  const busyAt = new Map(heads.map(({ agentId, state }) => [agentId, state.busyAt]));
  return agents.map((agent) => ({
    agent,
    lifecycle: lifecycleOf(agent, busyAt.get(agent.id), now(), sleepAfterMs),
  }));
}

function check(call: ListScopeCall): { places: ScopePlaces; limit: number } {
  const checks = new FieldChecks();
  const limit = checks.pageSize(call.pageSize);
  const range = { min: 0, max: mostUsers };
  checks.count(call.userIds.length, 'user_ids', range);
  checks.count(call.gatewayUserIds.length, 'gateway_user_ids', range);
  call.userIds.forEach((id, index) => checks.id(id, `user_ids[${index}]`));
  call.gatewayUserIds.forEach((id, index) => checks.id(id, `gateway_user_ids[${index}]`));
  const places = readPageToken(call.pageToken, checks, readScopePlaces);
  checks.done();
  return { places: places ?? fromTheBeginning, limit };
}
