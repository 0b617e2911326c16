import { lowestTrust, messageIdOf, type Trust } from '@daycare/api';
import {
  type Agent,
  type DeadWork,
  type EndRun,
  labelForModels,
  type InboxSettlement,
  parentOf,
} from '../../agents';
import {
  backgroundFailedNotice,
  type DeadLetter,
  type DeadLetterWriter,
  type DeliverToAgent,
  type EndAgent,
  type InboxItem,
  type InboxReader,
  type WaitingItem,
  type InboxWriter,
  makeNotifySender,
  provenanceOf,
  textOf,
} from '../../messaging';
import { endedRunOf } from '../domain/outcomes/ended-run';
import type { AgentSession } from '../sessions/agent-session';
import { LeaseLostError } from '../sessions/entry-writer';

export interface SettleDeps {
  readonly inbox: InboxReader & InboxWriter;
  readonly deadLetters: DeadLetterWriter;
  readonly deliverToAgent: DeliverToAgent;
  /** Ends a turn's pending permission requests; may be repeated. */
  readonly expireTurnRequests: (agent: Pick<Agent, 'id'>, turn: number) => Promise<void>;
  /** Reports whether the agent is waiting for a decision on one of its permission requests. */
  readonly hasPending: (agent: Pick<Agent, 'id'>) => Promise<boolean>;
  readonly endAgent: EndAgent;
  readonly endRun: EndRun;
  readonly now: () => Date;
}

/** Removes settled items from the inbox, and does whatever else follows from the newest history entry. */
export type Settle = (session: AgentSession) => Promise<void>;

/**
 * Carries out what follows from the newest entry; any replica may repeat it. This happens before the next entry is
 * written, and again in the replica that finds the entry after a crash.
 */
export function makeSettle(deps: SettleDeps): Settle {
  const settled = new WeakSet<InboxSettlement>();
  return async (session) => {
    await session.stored();
    const { settled: settlement } = session.state;
    if (!settlement || settled.has(settlement)) return;
    if (!session.lease.isValid()) throw new LeaseLostError('the lease has expired');
    if (settlement.stoppedTurn !== undefined)
      await deps.expireTurnRequests(session.agent, settlement.stoppedTurn);
    if (settlement.dead ?? settlement.unfinished) await report(session, settlement, deps);
    // The end of the run is recorded before its prompt leaves the inbox, because an open run without a prompt there is
    // treated as dropped, and so as failed.
    const run = endedRunOf(session.agent, settlement, session.context);
    if (run) await deps.endRun(run);
    await deps.inbox.settle(session.agent, settlement.messageIds, deps.now());
    if (settlement.hasReported) await endIfDone(session, deps);
    settled.add(settlement);
  };
}

/** Ends a background agent that has made its report, if its inbox is empty and it has no pending permission request. */
async function endIfDone(
  session: AgentSession,
  { inbox, hasPending, endAgent, now }: SettleDeps,
): Promise<void> {
  const { agent } = session;
  if ((await hasPending(agent)) || (await inbox.next(agent, 1)).length > 0) return;
  await endAgent(agent);
  session.agent = { ...agent, diedAt: now() };
}

/**
 * Reports unfinished work: abandoned items become dead letters and their senders are notified, as is the parent of
 * a background agent.
 */
async function report(
  session: AgentSession,
  { messageIds, dead, unfinished }: InboxSettlement,
  deps: SettleDeps,
): Promise<void> {
  const waiting = await deps.inbox.find(session.agent, messageIds);
  const items = waiting.map(({ item }) => item);
  if (dead) await storeDeadLetters(session, waiting, dead, deps);
  const reason = dead?.reason ?? unfinished ?? '';
  const cause = { hops: hopsOf(items), trust: trustOf(items, session) };
  if (!session.state.hasFailed) await notifyParent(session, reason, cause, deps.deliverToAgent);
}

async function storeDeadLetters(
  session: AgentSession,
  waiting: readonly WaitingItem[],
  dead: DeadWork,
  { deadLetters, deliverToAgent, now }: SettleDeps,
): Promise<void> {
  const facts = { ...dead, ownerUserId: session.agent.ownerUserId, deadAt: now() };
  await deadLetters.add(waiting.map((each) => toDeadLetter(each, facts)));
  const notifySender = makeNotifySender(deliverToAgent);
  // `notifyParent` notifies the parent of a background agent.
  const parent = parentOf(session.agent.descriptor);
  for (const { item } of waiting)
    if (senderOf(item) !== parent) await notifySender(session.agent, item);
}

/** Notifies the parent only once per background agent, even if the agent fails repeatedly. */
async function notifyParent(
  { agent }: AgentSession,
  reason: string,
  { hops, trust }: { readonly hops: number; readonly trust: Trust },
  deliverToAgent: DeliverToAgent,
): Promise<void> {
  if (agent.descriptor.kind !== 'subagent') return;
  const { parentAgentId } = agent.descriptor;
  await deliverToAgent(
    { agentId: parentAgentId, userId: agent.userId },
    {
      messageId: messageIdOf('background-failed', agent.id),
      senderUserId: agent.userId,
      origin: 'system',
      text: backgroundFailedNotice({ label: labelForModels(agent), id: agent.id, reason }),
      hops: hops + 1,
      trust,
    },
  );
}

function senderOf(item: InboxItem): string | undefined {
  return item.kind === 'system_message' ? item.sender?.agentId : undefined;
}

function hopsOf(items: readonly InboxItem[]): number {
  return Math.max(0, ...items.map((item) => (item.kind === 'system_message' ? item.hops : 0)));
}

function trustOf(items: readonly InboxItem[], { agent }: AgentSession): Trust {
  return lowestTrust('own', ...items.map((item) => provenanceOf(item, agent.ownerUserId).trust));
}

function toDeadLetter(
  { item, tie }: WaitingItem,
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
    ...(tie ? { tie } : {}),
    payload: undefined,
    retriedBy: undefined,
  };
}
