import {
  lifecycleOf,
  type Agent,
  type AgentModel,
  type AgentWait,
  type Lifecycle,
} from '../domain/agent';
import { waitOf } from '../domain/current-work';
import { noUsage, type TokenUsage } from '../domain/context/history-record';
import type { HistoryStore } from '../store/history-store';

/** An agent as shown to callers. */
export interface AgentView {
  readonly agent: Agent;
  readonly lifecycle: Lifecycle;
  readonly usage: TokenUsage;
  readonly contextTokens: number;
  readonly inboxCount: number;
  /** Granted by people; they survive a reset. */
  readonly permissions: readonly string[];
  /** The model for its next call. */
  readonly model: AgentModel;
  readonly lastSequence: number;
  readonly updatedAt: Date;
  /** A transient failure that the agent is waiting out before it continues. */
  readonly waiting: AgentWait | undefined;
}

export interface DescribeDeps {
  readonly history: HistoryStore;
  readonly countInboxItems: CountInboxItems;
  readonly listPermissions: ListPermissions;
  readonly currentModels: CurrentModels;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

/** The number of waiting items per agent; agents without any may be omitted. */
export type CountInboxItems = (agents: readonly Agent[]) => Promise<ReadonlyMap<string, number>>;

/** The permissions granted to each agent; agents without any may be omitted. */
export type ListPermissions = (
  agentIds: readonly string[],
) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Returns the model that each agent currently uses, in the order of the agents. */
export type CurrentModels = (agents: readonly Agent[]) => Promise<readonly AgentModel[]>;

/**
 * Combines agents with data from their histories, inboxes, grants and model choices; the number of queries does not
 * depend on the number of agents.
 */
export type DescribeAgents = (agents: readonly Agent[]) => Promise<AgentView[]>;

const noModel: AgentModel = { provider: '', id: '' };

export function makeDescribeAgents({
  history,
  countInboxItems,
  listPermissions,
  currentModels,
  sleepAfterMs,
  now,
}: DescribeDeps): DescribeAgents {
  return async (agents) => {
    if (agents.length === 0) return [];
    const ids = agents.map(({ id }) => id);
    const [heads, counts, permissions, models] = await Promise.all([
      history.findHeads(ids),
      countInboxItems(agents),
      listPermissions(ids),
      currentModels(agents),
    ]);
    const headOf = new Map(heads.map((head) => [head.agentId, head]));
    return agents.map((agent, index) => {
      const head = headOf.get(agent.id);
      return {
        agent,
        lifecycle: lifecycleOf(agent, head?.state.busyAt, now(), sleepAfterMs),
        usage: head?.state.usage ?? noUsage,
        contextTokens: head?.state.contextTokens ?? 0,
        inboxCount: counts.get(agent.id) ?? 0,
        permissions: permissions.get(agent.id) ?? [],
        model: models[index] ?? noModel,
        lastSequence: head?.state.lastSequence ?? 0,
        updatedAt: head?.at ?? agent.createdAt,
        waiting: agent.diedAt ? undefined : waitOf(head?.state.current),
      };
    });
  };
}
