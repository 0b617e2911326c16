import type { Settlement } from '../domain/agent-state';
import { labelOf } from '../domain/descriptor-kinds';
import type { DeadLetter } from '../domain/dead-letter';
import { textOf, type InboxItem } from '../domain/inbox-item';
import type { DeadLetterStore } from '../store/dead-letter-store';
import type { InboxStore } from '../store/inbox-store';
import type { TellAgent } from '../usecases/tell-agent';
import { messageIdOf } from '../usecases/message-id';
import { undeliveredNotice } from '../domain/message-wording';
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
    if (settlement.dead) await bury(session, settlement, parts);
    await parts.inbox.settle(session.agent.id, settlement.messageIds, parts.now());
    settled.add(settlement);
  };
}

async function bury(
  { agent, number }: AgentSession,
  { messageIds, dead }: Settlement,
  { inbox, deadLetters, tellAgent, now }: SettleParts,
): Promise<void> {
  const items = await inbox.find(agent.id, messageIds);
  const { ownerUserId } = agent;
  const facts = { ownerUserId, deadAt: now(), reason: '', attempts: 0, ...dead };
  await deadLetters.add(items.map((item) => toLetter(item, number, facts)));
  for (const item of items) {
    if (item.kind !== 'system_message' || !item.sender) continue;
    const isOwn = item.sender.userId === agent.userId || agent.kind === 'subuser';
    await tellAgent(item.sender, {
      messageId: messageIdOf('undelivered', agent.id, item.messageId, String(number)),
      senderUserId: agent.userId,
      origin: 'system',
      text: undeliveredNotice({ label: isOwn ? labelOf(agent.descriptor) : 'an agent' }),
      hops: item.hops + 1,
    });
  }
}

function toLetter(
  item: InboxItem,
  number: number,
  facts: Pick<DeadLetter, 'ownerUserId' | 'deadAt' | 'reason' | 'attempts'>,
): DeadLetter {
  const { agentId, userId, messageId, kind, acceptedAt } = item;
  return {
    ...facts,
    // What was put back may be given up a second time.
    id: messageIdOf('dead-letter', agentId, messageId, String(number)),
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
