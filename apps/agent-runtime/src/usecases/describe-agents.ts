import { lifecycleOf, type Agent, type Lifecycle } from '../domain/agent';
import { noUsage, type TokenUsage } from '../domain/history-record';
import type { HistoryStore } from '../store/history-store';
import type { InboxStore } from '../store/inbox-store';

/** An agent as it is shown. */
export interface AgentView {
  readonly agent: Agent;
  readonly lifecycle: Lifecycle;
  readonly usage: TokenUsage;
  readonly contextTokens: number;
  readonly inboxCount: number;
  readonly lastSequence: number;
  readonly updatedAt: Date;
}

export interface DescribeDeps {
  readonly history: HistoryStore;
  readonly inbox: InboxStore;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

/** Adds to agents what their histories and inboxes know; two calls however many there are. */
export type DescribeAgents = (agents: readonly Agent[]) => Promise<AgentView[]>;

export function makeDescribeAgents({
  history,
  inbox,
  sleepAfterMs,
  now,
}: DescribeDeps): DescribeAgents {
  return async (agents) => {
    if (agents.length === 0) return [];
    const [heads, counts] = await Promise.all([
      history.findHeads(agents.map(({ id }) => id)),
      inbox.counts(agents),
    ]);
    const headOf = new Map(heads.map((head) => [head.agentId, head]));
    return agents.map((agent) => {
      const head = headOf.get(agent.id);
      return {
        agent,
        lifecycle: lifecycleOf(agent, head?.state.busyAt, now(), sleepAfterMs),
        usage: head?.state.usage ?? noUsage,
        contextTokens: head?.state.contextTokens ?? 0,
        inboxCount: counts.get(agent.id) ?? 0,
        lastSequence: head?.state.lastSequence ?? 0,
        updatedAt: head?.at ?? agent.createdAt,
      };
    });
  };
}
