import { turnFields, type OutboxStore } from '@daycare/messaging';
import type { AgentAddress, AgentReader } from '../../../agents';
import { itemOf, type SystemMessageDraft } from '../../domain/inbox-item';
import type { PlaceItems } from '../inbox/place-items';

export interface DeliverToAgentDeps {
  readonly agents: AgentReader;
  readonly outbox: OutboxStore;
  readonly placeItems: PlaceItems;
  readonly now: () => Date;
}

/**
 * Delivers a system message to an agent, exactly once per message id. A message to an agent of the same user is dropped
 * if that agent is dead or unknown.
 */
export type DeliverToAgent = (to: AgentAddress, draft: SystemMessageDraft) => Promise<void>;

/** A message to an agent of the same user goes straight into the inbox; any other message goes through the outbox. */
export function makeDeliverToAgent(deps: DeliverToAgentDeps): DeliverToAgent {
  return async (to, draft) => {
    if (to.userId === draft.senderUserId) await putIntoInbox(deps, to, draft);
    else await appendToOutbox(deps, to, draft);
  };
}

async function putIntoInbox(
  { agents, placeItems, now }: DeliverToAgentDeps,
  to: AgentAddress,
  draft: SystemMessageDraft,
): Promise<void> {
  const agent = await agents.find(to.agentId);
  if (!agent || agent.diedAt) return;
  await placeItems([{ recipients: [agent], item: itemOf(agent.userId, draft, now()) }]);
}

async function appendToOutbox(
  { outbox }: DeliverToAgentDeps,
  { userId, agentId }: AgentAddress,
  draft: SystemMessageDraft,
): Promise<void> {
  const { messageId: id, senderUserId, senderAgentId = '', origin, text, silent = false } = draft;
  const lane = `${senderAgentId || senderUserId}>${agentId}`;
  const recipient = { userId, target: { $case: 'agentId', value: agentId } as const };
  const sent = { senderUserId, senderAgentId, origin, text, silent, ...turnFields(draft) };
  await outbox.append([{ ...sent, id, lane, recipient }]);
}
