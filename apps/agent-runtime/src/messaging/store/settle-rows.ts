import type { Collection } from 'mongodb';
import { rememberedMs, type InboxOwner, type InboxRow } from './inbox-row';
import { wakeKeyExpression } from './wake-key';

/** The rows of the messages that an agent has handled. */
export interface Settlement {
  readonly agent: InboxOwner;
  readonly rowIds: readonly string[];
  readonly now: Date;
}

/**
 * Removes agents from the rows they have handled, in rounds with at most one agent per user. As a row belongs to one
 * user, each row has at most one agent that a round can remove. So a round needs one update for all rows that wait for
 * a single agent and, if there are others, a second one for those.
 */
export async function settleRows(
  rows: Collection<InboxRow>,
  settlements: readonly Settlement[],
): Promise<undefined[]> {
  for (const round of roundsOf(settlements)) await settleRound(rows, round);
  return settlements.map(() => undefined);
}

async function settleRound(rows: Collection<InboxRow>, round: readonly Settlement[]) {
  const agentIds = [...new Set(round.map(({ agent }) => agent.id))];
  const rowIds = [...new Set(round.flatMap((settlement) => settlement.rowIds))];
  const newest = Math.max(...round.map(({ now }) => now.getTime()));
  const expiresAt = new Date(newest + rememberedMs);
  const { matchedCount } = await rows.updateMany(
    { _id: { $in: rowIds }, waitingFor: { $in: agentIds.map((id) => [id]) } },
    { $set: { expiresAt }, $unset: { waitingFor: 1, wakeKey: 1, item: 1, tie: 1 } },
    { hint: '_id_' },
  );
  if (matchedCount < rowIds.length) await settleSharedRows(rows, rowIds, agentIds, expiresAt);
}

/** Settles rows that also wait for other agents; rows that these agents have already settled do not match. */
async function settleSharedRows(
  rows: Collection<InboxRow>,
  rowIds: readonly string[],
  agentIds: readonly string[],
  expiresAt: Date,
): Promise<void> {
  const stillWaiting = { $setDifference: ['$waitingFor', { $literal: agentIds }] };
  const unlessLast = <T>(value: T) => ({ $cond: [{ $eq: [stillWaiting, []] }, '$$REMOVE', value] });
  await rows.updateMany(
    { _id: { $in: [...rowIds] }, waitingFor: { $in: [...agentIds] } },
    [
      {
        $set: {
          item: unlessLast('$item'),
          tie: unlessLast('$tie'),
          expiresAt: { $cond: [{ $eq: [stillWaiting, []] }, expiresAt, '$$REMOVE'] },
          waitingFor: unlessLast(stillWaiting),
          wakeKey: unlessLast(wakeKeyExpression(stillWaiting)),
        },
      },
    ],
    { hint: '_id_' },
  );
}

/** Puts settlements by different agents of one user into different rounds. */
function roundsOf(settlements: readonly Settlement[]): Settlement[][] {
  const rounds: { readonly agentOf: Map<string, string>; readonly members: Settlement[] }[] = [];
  for (const settlement of settlements) {
    const { id, userId } = settlement.agent;
    const existing = rounds.find(({ agentOf }) => [undefined, id].includes(agentOf.get(userId)));
    const round = existing ?? { agentOf: new Map<string, string>(), members: [] };
    if (!existing) rounds.push(round);
    round.agentOf.set(userId, id);
    round.members.push(settlement);
  }
  return rounds.map(({ members }) => members);
}
