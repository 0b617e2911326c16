import { messageIdOf } from '@daycare/api';
import { Notice, NoticeKind } from '@daycare/contracts/common';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import type { Agent, AgentReader, HistoryHead, HistoryReader } from '../../../agents';
import { closingKey, closingOf, type MessageTie } from '../../domain/closed-tie';
import type { MessageRef } from '../../domain/inbox-item';
import type { ClosedTieStore } from '../../store/closed-tie-store';
import { rowId } from '../../store/inbox-row';
import type { TakenRows, TiedMessageStore } from '../../store/tied-message-store';

export interface DropClosedMessagesDeps {
  readonly tiedMessages: TiedMessageStore;
  readonly history: Pick<HistoryReader, 'findHeads'>;
  readonly agents: Pick<AgentReader, 'findMany'>;
  /** Wakes these agents. */
  readonly notify: (agents: readonly Agent[]) => void;
  readonly outbox: Pick<OutboxStore, 'append'>;
  readonly now: () => Date;
}

/**
 * Drops the waiting messages that a closing forbids, except those that turns in progress have taken, and reports them
 * to social-graph, which stores their status.
 */
export type DropClosedMessages = (closing: MessageTie) => Promise<void>;

/** Records that a tie or share has ended, and drops the waiting messages that this forbids. */
export type CloseTie = (closing: MessageTie) => Promise<void>;

const statusService = 'social-graph';
const idsPerReport = 500;

/**
 * May be repeated at any time: messages that were dropped earlier are reported again. Reports of the same messages have
 * the same id, so that the outbox stores only one.
 */
export function makeDropClosedMessages(deps: DropClosedMessagesDeps): DropClosedMessages {
  const { tiedMessages, outbox, agents, notify, now } = deps;
  return async (closing) => {
    const heads = await findWorkingAgents(deps, closing);
    await tiedMessages.drop(closing, takenRowsOf(heads), now());
    const postponed = heads.filter((head) => !isUnderWay(head)).map(({ agentId }) => agentId);
    // Agents whose work is waiting for a retry are woken, to end that work now if there is nothing left to answer.
    if (postponed.length > 0) notify(await agents.findMany(postponed));
    const dropped = await tiedMessages.findDroppedMessages(closing);
    for (let from = 0; from < dropped.length; from += idsPerReport)
      await outbox.append([report(closing, dropped.slice(from, from + idsPerReport))]);
  };
}

export interface CloseTieDeps {
  readonly closedTies: ClosedTieStore;
  readonly dropClosedMessages: DropClosedMessages;
}

/**
 * The closing is recorded before messages are dropped. The order matters: deliveries check for closings after they
 * store a message, so either the delivery finds the closing or the drop finds the message.
 */
export function makeCloseTie({ closedTies, dropClosedMessages }: CloseTieDeps): CloseTie {
  return async (closing) => {
    await closedTies.close(closing);
    await dropClosedMessages(closing);
  };
}

export interface SweepClosedMessagesDeps extends CloseTieDeps {
  readonly tiedMessages: TiedMessageStore;
}

/** Limits how many waiting messages one call of the sweep checks. */
const sweepLimits = { keysPerPage: 1_000, pages: 20 };

/**
 * Drops forbidden messages that are still waiting because the process that stored them died before it checked for
 * closings. Each call checks a bounded number of messages and begins after the last page that the previous call read,
 * even if the previous call failed. Messages that a failed call has skipped are checked once the sweep has started over
 * from the first tie.
 */
export function makeSweepClosedMessages(
  { closedTies, tiedMessages, dropClosedMessages }: SweepClosedMessagesDeps,
  { keysPerPage, pages }: typeof sweepLimits = sweepLimits,
) {
  let after = '';
  return async (): Promise<void> => {
    for (let page = 0; page < pages; page += 1) {
      const { ids, hasMore } = await tiedMessages.waitingTies(after, keysPerPage);
      after = hasMore ? (ids.at(-1) ?? '') : '';
      for (const closing of await findMissedClosings(ids)) await dropClosedMessages(closing);
      if (!hasMore) return;
    }
  };

  /** Returns the closings of these ties that forbid messages which are still waiting. */
  async function findMissedClosings(ids: readonly string[]): Promise<readonly MessageTie[]> {
    const closed = await closedTies.findMany(ids);
    const waiting = await tiedMessages.findLowestWaitingVersions([...closed.keys()]);
    const missed = waiting.flatMap((tie) => closingOf(tie, closed.get(tie.id)) ?? []);
    return [...new Map(missed.map((closing) => [closingKey(closing), closing])).values()];
  }
}

/** Returns the history heads of agents that have unfinished work and waiting messages that the closing forbids. */
async function findWorkingAgents(
  { tiedMessages, history }: Pick<DropClosedMessagesDeps, 'tiedMessages' | 'history'>,
  closing: MessageTie,
): Promise<HistoryHead[]> {
  const agentIds = await tiedMessages.findAffectedAgents(closing);
  const heads = agentIds.length > 0 ? await history.findHeads(agentIds) : [];
  return heads.filter(({ state }) => state.current);
}

/** Reports whether an agent is working now; work that is waiting for a retry, perhaps for hours, does not count. */
function isUnderWay({ state: { current } }: HistoryHead): boolean {
  return current !== undefined && !current.notBefore;
}

/** Returns the rows that turns in progress are handling, by the id of the turn's agent. */
function takenRowsOf(heads: readonly HistoryHead[]): TakenRows {
  return new Map(
    heads
      .filter(isUnderWay)
      .map(({ agentId, userId, state: { current } }) => [
        agentId,
        (current?.messageIds ?? []).map((id) => rowId(userId, id)),
      ]),
  );
}

function report(closing: MessageTie, dropped: readonly MessageRef[]): MessageDraft {
  const messageIds = dropped.map(({ id }) => id);
  return {
    id: messageIdOf('dropped', closingKey(closing), ...messageIds),
    lane: `dropped>${closing.id}`,
    origin: 'system',
    recipient: {
      userId: dropped[0]?.userId ?? '',
      target: { $case: 'service', value: statusService },
    },
    text: '',
    notice: Notice.create({ kind: NoticeKind.MESSAGES_DROPPED, messageIds }),
  };
}
