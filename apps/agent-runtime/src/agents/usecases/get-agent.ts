import { AppError, notFound } from '@daycare/api';
import type { Agent } from '../domain/agent';
import { keyOf, matchesStrategy, type AgentStrategy } from '../domain/descriptor/descriptor-kinds';
import type { AgentStore } from '../store/agent-store';
import type { AgentView, DescribeAgents } from './describe-agents';
import type { RankForeground } from './rank-foreground';
import { findVisibleAgent } from './visible-agent';

export type AgentSelector =
  | { readonly kind: 'id'; readonly agentId: string }
  | { readonly kind: 'strategy'; readonly strategy: AgentStrategy };

export interface GetDeps {
  readonly agents: AgentStore;
  readonly rankForeground: RankForeground;
  readonly describeAgents: DescribeAgents;
}

/** Finds one agent, by its id or by a strategy. */
export function makeGetAgent(deps: GetDeps) {
  const strategies: Record<AgentStrategy, (userId: string) => Promise<Agent | undefined>> = {
    'most-recent-foreground': async (userId) => (await deps.rankForeground(userId))[0],
    heartbeat: (userId) => deps.agents.findByKey(userId, keyOf({ kind: 'heartbeat', userId })),
  };
  return async (userId: string, selector: AgentSelector): Promise<AgentView> => {
    const agent =
      selector.kind === 'id'
        ? await findVisibleAgent(deps.agents, userId, selector.agentId)
        : await strategies[selector.strategy](userId);
    if (!agent || isExcluded(agent, selector)) throw notFound('agent');
    const [view] = await deps.describeAgents([agent]);
    if (!view) throw new AppError('INTERNAL', 'unreachable: describeAgents returned no view');
    return view;
  };
}

/** Strategies select only living agents of certain kinds; a selection by id is not restricted. */
function isExcluded({ kind, diedAt }: Agent, selector: AgentSelector): boolean {
  if (selector.kind === 'id') return false;
  return diedAt !== undefined || !matchesStrategy(kind, selector.strategy);
}
