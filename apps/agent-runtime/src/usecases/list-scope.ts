import { FieldChecks, fitPage, type FittedPage, readPageToken } from '@daycare/errors';
import { lifecycleOf, type AgentOutline, type Lifecycle } from '../domain/agent';
import type { Cron, Heartbeat } from '../domain/schedule';
import { gatewayKey } from '../domain/descriptor-kinds';
import type { CronStore } from '../store/cron-store';
import type { HeartbeatStore } from '../store/heartbeat-store';
import type { HistoryStore } from '../store/history-store';
import type { OutlineStore } from '../store/outline-store';
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
  readonly agent: AgentOutline;
  readonly lifecycle: Lifecycle;
  /** When it last did anything, if that is what keeps it awake. */
  readonly busyAt: Date | undefined;
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
  /** When one of the agents falls asleep if nothing reaches it; 0 when none will. */
  readonly changesInMs: number;
}

export interface ScopeDeps {
  readonly outlines: OutlineStore;
  readonly crons: CronStore;
  readonly heartbeats: HeartbeatStore;
  readonly history: Pick<HistoryStore, 'findBusyAt'>;
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
    const now = deps.now();
    const [agents, crons, heartbeats, gateways, survey, counts] = await Promise.all([
      onePage(
        places.agents,
        limit,
        (listing) => deps.outlines.list({ ...call, ...listing }),
        ({ id, userId, label }) => [id, userId, label],
      ),
      onePage(places.crons, limit, (listing) => deps.crons.list({ ...call, ...listing })),
      onePage(places.heartbeats, limit, (listing) => deps.heartbeats.list({ ...call, ...listing })),
      findGateways(deps, call),
      deps.outlines.survey(call, new Date(now.getTime() - deps.sleepAfterMs)),
      countSchedules(deps, call),
    ]);
    const nextPageToken = scopeTokenOf({
      agents: agents.last,
      crons: crons.last,
      heartbeats: heartbeats.last,
    });
    const isWhole = call.pageToken === '' && nextPageToken === '';
    const [described, schedules] = await Promise.all([
      describe(deps, [...agents.page, ...gateways], now),
      isWhole ? [] : digestSchedules(deps, call),
    ]);
    return {
      agents: described.slice(0, agents.page.length),
      gateways: described.slice(agents.page.length),
      crons: crons.page,
      heartbeats: heartbeats.page,
      agentCount: survey.count,
      ...counts,
      nextPageToken,
      // A busy agent that nobody has written to is awake on its page and asleep in the survey.
      digest: isWhole ? '' : [survey.digest, ...schedules].join('.'),
      changesInMs: firstAsleepInMs(
        [survey.firstActiveAt, ...busyOnes(described, call)],
        deps.sleepAfterMs,
        now,
      ),
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

async function countSchedules({ crons, heartbeats }: ScopeDeps, { userIds }: ListScopeCall) {
  const [cronCount, heartbeatCount] = await Promise.all([
    crons.count(userIds),
    heartbeats.count(userIds),
  ]);
  return { cronCount, heartbeatCount };
}

function digestSchedules({ crons, heartbeats }: ScopeDeps, { userIds }: ListScopeCall) {
  return Promise.all([crons.digest(userIds), heartbeats.digest(userIds)]);
}

async function findGateways(
  { outlines }: ScopeDeps,
  { gatewayUserIds, includeDead }: ListScopeCall,
): Promise<AgentOutline[]> {
  if (gatewayUserIds.length === 0) return [];
  const wanted = gatewayUserIds.map((userId) => ({ userId, key: gatewayKey(userId) }));
  const found = await outlines.findByKeys(wanted);
  return found.filter(({ diedAt }) => includeDead || !diedAt);
}

/** Looks into histories only for agents that would be asleep otherwise. */
async function describe(
  { history, sleepAfterMs }: ScopeDeps,
  agents: readonly AgentOutline[],
  now: Date,
): Promise<ScopedAgent[]> {
  const isIdle = (agent: AgentOutline) =>
    lifecycleOf(agent, undefined, now, sleepAfterMs) === 'sleeping';
  const idle = new Set(agents.filter(isIdle).map(({ id }) => id));
  const worked = await history.findBusyAt([...idle]);
  return agents.map((agent) => {
    const busyAt = worked.get(agent.id);
    return { agent, lifecycle: lifecycleOf(agent, busyAt, now, sleepAfterMs), busyAt };
  });
}

/** Whether agents of other users are awake is not told, so when they fall asleep is not either. */
function busyOnes(described: readonly ScopedAgent[], { userIds }: ListScopeCall) {
  const own = new Set(userIds);
  return described.filter(({ agent }) => own.has(agent.userId)).map(({ busyAt }) => busyAt);
}

function firstAsleepInMs(
  neededAt: readonly (Date | undefined)[],
  sleepAfterMs: number,
  now: Date,
): number {
  const leftMs = neededAt
    .map((at) => (at ? at.getTime() + sleepAfterMs - now.getTime() : 0))
    .filter((ms) => ms > 0);
  return leftMs.length === 0 ? 0 : Math.min(...leftMs);
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
