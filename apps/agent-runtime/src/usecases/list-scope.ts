import { FieldChecks } from '@daycare/errors';
import { lifecycleOf, type Agent, type Lifecycle } from '../domain/agent';
import { encodePageToken, isTime, readPageToken, type PageCursor } from '../domain/page-token';
import type { AgentStore, ScopeListing } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import { gatewayKey } from './deliver-system-message';

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
  readonly agentCount: number;
  readonly nextPageToken: string;
}

export interface ScopeDeps {
  readonly agents: AgentStore;
  readonly history: HistoryStore;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

const mostUsers = 2_000;

/** The agents of a set of users and the gateways of another; four queries however many there are. */
export function makeListScope(deps: ScopeDeps) {
  return async (call: ListScopeCall): Promise<Scope> => {
    const { after, limit } = check(call);
    const { userIds, includeDead } = call;
    const [found, gateways, agentCount] = await Promise.all([
      deps.agents.listScope({ userIds, includeDead, after, limit: limit + 1 }),
      findGateways(deps, call),
      deps.agents.countScope({ userIds, includeDead }),
    ]);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const described = await describe(deps, [...page, ...gateways]);
    return {
      agents: described.slice(0, page.length),
      gateways: described.slice(page.length),
      agentCount,
      nextPageToken: last ? tokenOf(last) : '',
    };
  };
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

function check(call: ListScopeCall): { after: ScopeListing['after']; limit: number } {
  const checks = new FieldChecks();
  const limit = checks.pageSize(call.pageSize);
  const range = { min: 0, max: mostUsers };
  checks.count(call.userIds.length, 'user_ids', range);
  checks.count(call.gatewayUserIds.length, 'gateway_user_ids', range);
  call.userIds.forEach((id, index) => checks.id(id, `user_ids[${index}]`));
  call.gatewayUserIds.forEach((id, index) => checks.id(id, `gateway_user_ids[${index}]`));
  const after = readPageToken(call.pageToken, checks, readCursor);
  checks.done();
  return { after, limit };
}

function tokenOf({ userId, createdAt, id }: Agent): string {
  return encodePageToken([userId, createdAt.getTime(), id]);
}

function readCursor([userId, createdMs, id, ...rest]: PageCursor): ScopeListing['after'] {
  const isOurs =
    typeof userId === 'string' && isTime(createdMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { userId, createdAt: new Date(createdMs), id } : undefined;
}
