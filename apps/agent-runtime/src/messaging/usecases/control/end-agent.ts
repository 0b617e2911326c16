import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import { Notice, NoticeKind } from '@daycare/contracts/common';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { attemptEach } from '@daycare/service-kit';
import {
  type Agent,
  type AgentEndings,
  type AgentReader,
  canBeEnded,
  findVisibleAgent,
} from '../../../agents';
import type { InboxStore } from '../../store/inbox-store';
import type { NotifySender } from '../delivery/notify-sender';

export interface EndAgentDeps {
  readonly endings: AgentEndings;
  readonly inbox: Pick<InboxStore, 'next' | 'settle'>;
  readonly outbox: OutboxStore;
  readonly notifySender: NotifySender;
  /** Makes an agent's turn in progress, on whichever replica it runs, check immediately whether it has to end. */
  readonly interruptAgent: (agentId: string) => void;
  readonly hintUser: (userId: string) => void;
  readonly now: () => Date;
}

/** Ends an agent for good. May be interrupted at any time, and may be repeated. */
export type EndAgent = (agent: Agent) => Promise<void>;

/**
 * The first write marks the agent as dead and schedules the remaining steps; if this process dies, the
 * sweep completes them.
 */
export function makeEndAgent(deps: EndAgentDeps): EndAgent {
  return async (agent) => {
    await deps.endings.end(agent, deps.now());
    await finishEnding(deps, agent, deps.now());
  };
}

export interface RequestEndDeps {
  readonly agents: AgentReader;
  readonly endAgent: EndAgent;
}

export interface EndCall {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
}

/**
 * Ends an agent at a person's request. Throws FAILED_PRECONDITION for a gateway and for the agent of a channel or
 * schedule.
 */
export function makeRequestEnd({ agents, endAgent }: RequestEndDeps) {
  return async ({ userId, requestId, agentId }: EndCall): Promise<void> => {
    new FieldChecks().requestId(requestId).id(agentId, 'agent_id').done();
    const agent = await findVisibleAgent(agents, userId, agentId);
    if (!canBeEnded(agent.kind))
      throw new AppError(
        'FAILED_PRECONDITION',
        'Only background, app and permanent agents can be ended',
      );
    await endAgent(agent);
  };
}

const inboxBatchSize = 64;
/** A call that read the agent before the agent ended may still store an item for it within this time. */
const lateItemMs = 60_000;
/** How long after a sweep has claimed an ending it is due again, if that sweep does not complete it. */
const retryMs = 10_000;

/**
 * Completes endings that a crash or an error interrupted, and checks each ended agent's inbox once more when late items
 * can no longer arrive.
 */
export function makeSweepEndings(deps: EndAgentDeps) {
  return async (): Promise<void> => {
    const now = deps.now();
    await attemptEach(await deps.endings.listDue(now), async (due) => {
      const isClaimed = await deps.endings.claim(due, new Date(now.getTime() + retryMs));
      if (isClaimed) await finishEnding(deps, due.agent, due.agent.diedAt ?? due.dueAt);
    });
  };
}

export interface EndIdleAgentsDeps {
  readonly endings: Pick<AgentEndings, 'listIdleSubagents'>;
  readonly inbox: Pick<InboxStore, 'countByAgent'>;
  readonly endAgent: EndAgent;
  /** How long a background agent may have nothing to do. */
  readonly idleMs: number;
  readonly now: () => Date;
}

/** Ends background agents that have had nothing to do for too long. */
export function makeEndIdleAgents({ endings, inbox, endAgent, idleMs, now }: EndIdleAgentsDeps) {
  return async (): Promise<void> => {
    const idle = await endings.listIdleSubagents(new Date(now().getTime() - idleMs));
    if (idle.length === 0) return;
    const waiting = await inbox.countByAgent(idle);
    await attemptEach(
      idle.filter(({ id }) => !waiting.has(id)),
      endAgent,
    );
  };
}

async function finishEnding(deps: EndAgentDeps, agent: Agent, endedAt: Date): Promise<void> {
  const checkAgainAt = new Date(endedAt.getTime() + lateItemMs);
  const isFinalCheck = deps.now() >= checkAgainAt;
  deps.interruptAgent(agent.id);
  await dropWaitingItems(deps, agent);
  await deps.outbox.append([endedNotice(agent)]);
  deps.hintUser(agent.userId);
  await deps.endings.finish(agent.id, isFinalCheck ? undefined : checkAgainAt);
}

/** Removes the agent's waiting items from the inbox, after notifying their senders. */
async function dropWaitingItems(
  { inbox, notifySender, now }: EndAgentDeps,
  agent: Agent,
): Promise<void> {
  for (;;) {
    const waiting = await inbox.next(agent, inboxBatchSize);
    if (waiting.length === 0) return;
    for (const item of waiting) await notifySender(agent, item);
    const messageIds = waiting.map(({ messageId }) => messageId);
    await inbox.settle(agent, messageIds, now());
  }
}

/** Returns a notice to topology, where the agent may be a member, a subscriber or a target. */
function endedNotice({ id, userId }: Agent): MessageDraft {
  return {
    id: messageIdOf('agent-ended', id),
    lane: `${userId}>topology`,
    origin: 'system',
    recipient: { userId, target: { $case: 'service', value: 'topology' } },
    text: '',
    notice: Notice.create({ kind: NoticeKind.AGENT_ENDED, agentId: id }),
  };
}
