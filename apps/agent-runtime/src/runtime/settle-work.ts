import type { GivenUp, Settlement } from '../domain/agent-state';
import { labelOf, parentOf } from '../domain/descriptor-kinds';
import type { DeadLetter } from '../domain/dead-letter';
import { textOf, type InboxItem } from '../domain/inbox-item';
import type { DeadLetterStore } from '../store/dead-letter-store';
import type { InboxStore } from '../store/inbox-store';
import type { TellAgent } from '../usecases/tell-agent';
import { messageIdOf } from '../usecases/message-id';
import { backgroundFailedNotice, undeliveredNotice } from '../domain/message-wording';
import { LeaseLostError, type AgentSession } from './agent-session';

export interface SettleParts {
  readonly inbox: InboxStore;
  readonly deadLetters: DeadLetterStore;
  readonly tellAgent: TellAgent;
  readonly now: () => Date;
}

/** Makes the inbox agree with what the newest entry of the history says was taken off it. */
export type Settle = (session: AgentSession) => Promise<void>;

/**
 * The entry has settled the matter; everything here follows from it and may be done twice, by anyone.
 * It is done before the next entry is written, and again by whoever finds the entry after a crash.
 */
export function makeSettle(parts: SettleParts): Settle {
  const settled = new WeakSet<Settlement>();
  return async (session) => {
    const { settled: settlement } = session.state;
    if (!settlement || settled.has(settlement)) return;
    if (!session.lease.isValid()) throw new LeaseLostError('the lease has run out');
    if (settlement.dead ?? settlement.unfinished) await report(session, settlement, parts);
    await parts.inbox.settle(session.agent.id, settlement.messageIds, parts.now());
    settled.add(settlement);
  };
}

/** What was not handled to its end: who has to hear of it hears, and what was given up is kept. */
async function report(
  session: AgentSession,
  { messageIds, dead, unfinished }: Settlement,
  parts: SettleParts,
): Promise<void> {
  const items = await parts.inbox.find(session.agent.id, messageIds);
  if (dead) await bury(session, items, dead, parts);
  const reason = dead?.reason ?? unfinished ?? '';
  await tellParent(session, reason, hopsOf(items), parts.tellAgent);
}

async function bury(
  session: AgentSession,
  items: readonly InboxItem[],
  dead: GivenUp,
  { deadLetters, tellAgent, now }: SettleParts,
): Promise<void> {
  const facts = { ...dead, ownerUserId: session.agent.ownerUserId, deadAt: now() };
  await deadLetters.add(items.map((item) => toLetter(item, facts)));
  for (const item of items) await tellSender(item, session, tellAgent);
}

async function tellSender(
  item: InboxItem,
  { agent }: AgentSession,
  tellAgent: TellAgent,
): Promise<void> {
  if (item.kind !== 'system_message' || !item.sender) return;
  // The parent of a background agent hears of its failure.
  if (item.sender.agentId === parentOf(agent.descriptor)) return;
  const isOwn = item.sender.userId === agent.userId || agent.kind === 'subuser';
  await tellAgent(item.sender, {
    messageId: messageIdOf('undelivered', agent.id, item.messageId),
    senderUserId: agent.userId,
    origin: 'system',
    text: undeliveredNotice({ label: isOwn ? labelOf(agent.descriptor) : 'an agent' }),
    hops: item.hops + 1,
  });
}

/** Once in the life of a background agent, however often it fails. */
async function tellParent(
  { agent }: AgentSession,
  reason: string,
  hops: number,
  tellAgent: TellAgent,
): Promise<void> {
  if (agent.descriptor.kind !== 'subagent') return;
  const { parentAgentId } = agent.descriptor;
  await tellAgent(
    { agentId: parentAgentId, userId: agent.userId },
    {
      messageId: messageIdOf('background-failed', agent.id),
      senderUserId: agent.userId,
      origin: 'system',
      text: backgroundFailedNotice({ label: labelOf(agent.descriptor), id: agent.id, reason }),
      hops: hops + 1,
    },
  );
}

function hopsOf(items: readonly InboxItem[]): number {
  return Math.max(0, ...items.map((item) => (item.kind === 'system_message' ? item.hops : 0)));
}

function toLetter(
  item: InboxItem,
  facts: Pick<DeadLetter, 'ownerUserId' | 'deadAt' | 'reason' | 'attempts'>,
): DeadLetter {
  const { agentId, userId, messageId, kind, acceptedAt } = item;
  return {
    ...facts,
    id: messageIdOf('dead-letter', agentId, messageId),
    userId,
    agentId,
    kind,
    messageId,
    origin: item.kind === 'system_message' ? item.origin : '',
    text: textOf(item),
    acceptedAt,
    item,
    payload: undefined,
    retriedBy: undefined,
  };
}
