import type { Agent } from '../domain/agent';
import { rankForeground } from '../domain/strategy';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';

export interface RankDeps {
  readonly agents: AgentStore;
  readonly history: HistoryStore;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

/** Lists a user's foreground agents, most recent first. */
export type RankForeground = (userId: string) => Promise<readonly Agent[]>;

export function makeRankForeground(deps: RankDeps): RankForeground {
  const { agents, history, sleepAfterMs, now } = deps;
  return async (userId) => {
    const found = await agents.listForeground(userId);
    if (found.length < 2) return found;
    const heads = await Promise.all(found.map(({ id }) => history.findHead(id)));
    const busyAt = new Map(heads.map((head) => [head?.agentId, head?.state.busyAt]));
    return rankForeground(found, now(), sleepAfterMs, (id) => busyAt.get(id));
  };
}
