import type { Agent } from '../domain/agent';
import type { AgentStore } from '../store/agent-store';
import type { MailboxMessage, MailboxStore, Recipients } from '../store/mailbox-store';
import type { Addressed, PutItems } from './put-items';
import type { RankForeground } from './rank-foreground';

export interface RouteDeps {
  readonly mailbox: MailboxStore;
  readonly agents: AgentStore;
  readonly rankForeground: RankForeground;
  readonly putItems: PutItems;
  readonly now: () => Date;
}

/**
 * Hands what waits in a user's mailbox to the user's foreground agents, in order; nothing happens while
 * there are none. Any number may do this at once: who hears a message is decided once, and an inbox
 * takes it once.
 */
export type RouteMailbox = (userId: string) => Promise<void>;

const batchSize = 64;

export function makeRouteMailbox(deps: RouteDeps): RouteMailbox {
  const { mailbox, rankForeground } = deps;
  return async (userId) => {
    for (;;) {
      const ranked = await rankForeground(userId);
      if (ranked.length === 0) return;
      const waiting = await mailbox.listOpen(userId, batchSize);
      if (waiting.length === 0) return;
      for (const { message, recipients } of waiting)
        await handOver(deps, message, recipients ?? choose(ranked), ranked);
    }
  };
}

function choose([lead, ...others]: readonly Agent[]): Recipients {
  return { leadId: lead?.id ?? '', silentIds: others.map(({ id }) => id) };
}

async function handOver(
  { mailbox, agents, putItems, now }: RouteDeps,
  message: MailboxMessage,
  proposed: Recipients,
  ranked: readonly Agent[],
): Promise<void> {
  const decided = await mailbox.decide(message, proposed);
  if (!decided) return;
  const { leadId } = decided;
  const found = await findThose(agents, decided, ranked);
  await putItems(found.map((agent) => addressed(agent, message, agent.id !== leadId)));
  await mailbox.close(message, now());
}

/** Those who were just ranked, unless somebody else has decided for others. */
async function findThose(
  agents: AgentStore,
  { leadId, silentIds }: Recipients,
  ranked: readonly Agent[],
): Promise<readonly Agent[]> {
  const ids = [leadId, ...silentIds];
  const known = ranked.filter(({ id }) => ids.includes(id));
  return known.length === ids.length ? known : agents.findMany(ids);
}

function addressed(agent: Agent, message: MailboxMessage, listensOnly: boolean): Addressed {
  const { silent, ...rest } = message;
  const item = { ...rest, agentId: agent.id, silent: silent || listensOnly };
  return { agent, item };
}
