import type { OutboxStore } from '@daycare/messaging';
import type { AgentAddress } from '../domain/inbox-item';
import type { AgentStore } from '../store/agent-store';
import type { PutItems } from './put-items';

export interface AgentNews {
  readonly messageId: string;
  readonly senderUserId: string;
  /** The agent that speaks; undefined when the system does. */
  readonly senderAgentId?: string;
  readonly origin: string;
  readonly text: string;
  readonly hops: number;
  /** It is recorded and no turn is taken. */
  readonly silent?: boolean;
}

export interface TellDeps {
  readonly agents: AgentStore;
  readonly outbox: OutboxStore;
  readonly putItems: PutItems;
  readonly wakeOutbox: (lanes: readonly string[]) => void;
  readonly now: () => Date;
}

/** Brings a system message to an agent, once, however often it is called with the same message id. */
export type TellAgent = (to: AgentAddress, news: AgentNews) => Promise<void>;

/** Within a user it goes straight into the inbox; to another user it travels as everything does. */
export function makeTellAgent(deps: TellDeps): TellAgent {
  return async (to, news) => {
    if (to.userId === news.senderUserId) await tellDirectly(deps, to, news);
    else await tellAcrossUsers(deps, to, news);
  };
}

async function tellDirectly(
  { agents, putItems, now }: TellDeps,
  to: AgentAddress,
  { messageId, origin, text, hops, silent = false, senderAgentId, senderUserId }: AgentNews,
): Promise<void> {
  const agent = await agents.find(to.agentId);
  if (!agent || agent.diedAt) return;
  const sender = senderAgentId ? { agentId: senderAgentId, userId: senderUserId } : undefined;
  const said = { text, origin, silent, hops, ...(sender ? { sender } : {}) };
  const common = { agentId: agent.id, userId: agent.userId, messageId, acceptedAt: now() };
  await putItems([{ agent, item: { kind: 'system_message', ...common, ...said } }]);
}

async function tellAcrossUsers(
  { outbox, wakeOutbox }: TellDeps,
  to: AgentAddress,
  { messageId, origin, text, hops, silent = false, senderAgentId = '', senderUserId }: AgentNews,
): Promise<void> {
  const lane = `${senderAgentId || senderUserId}>${to.agentId}`;
  await outbox.append([
    {
      id: messageId,
      lane,
      origin,
      recipient: { userId: to.userId, target: { $case: 'agentId', value: to.agentId } },
      text,
      hops,
      silent,
      senderAgentId,
      senderUserId,
    },
  ]);
  wakeOutbox([lane]);
}
