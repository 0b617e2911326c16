import type { Agent } from '../domain/agent';
import type { InboxItem } from '../domain/inbox-item';
import type { AgentStore } from '../store/agent-store';
import type { InboxStore } from '../store/inbox-store';

export interface PutDeps {
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  /** Tells whoever runs the agents of a shard that something waits. */
  readonly wake: (shard: number, agentIds: readonly string[]) => void;
}

export interface Addressed {
  readonly agent: Agent;
  readonly item: InboxItem;
}

/** Puts an item into the inbox of each of some agents; what an agent has had before is left as it is. */
export type PutItems = (addressed: readonly Addressed[]) => Promise<void>;

export function makePutItems({ agents, inbox, wake }: PutDeps): PutItems {
  return async (addressed) => {
    const loud = addressed.filter(({ item }) => !isSilent(item));
    const [newest] = loud.map(({ item }) => item.acceptedAt).sort((a, b) => +b - +a);
    await Promise.all([
      newest
        ? agents.touch(
            loud.map(({ agent }) => agent.id),
            newest,
          )
        : undefined,
      inbox.put(addressed.map(({ agent: { shard }, item }) => ({ item, shard }))),
    ]);
    const hearers = addressed.map(({ agent }) => agent);
    for (const shard of new Set(hearers.map((agent) => agent.shard)))
      wake(
        shard,
        hearers.filter((agent) => agent.shard === shard).map(({ id }) => id),
      );
  };
}

function isSilent(item: InboxItem): boolean {
  return item.kind === 'system_message' && item.silent;
}
