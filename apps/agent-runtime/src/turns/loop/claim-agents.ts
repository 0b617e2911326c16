import { type HistoryReader, type HistoryWriter, nextEntry } from '../../agents';
import { assumeLease } from '../domain/turn-steps';
import type { InboxReader } from '../../messaging';
import { LeaseLostError } from '../sessions/entry-writer';
import type { Lease } from '../leases/lease';

export interface ClaimDeps {
  readonly history: HistoryReader & HistoryWriter;
  readonly inbox: InboxReader;
  readonly holder: string;
  readonly now: () => Date;
}

/**
 * Takes over the histories of a shard's agents: every agent with waiting items gets an entry under the new lease, so
 * that an entry the previous holder is about to write finds its number taken. Agents with empty inboxes need no such
 * entry: the previous holder could write one for them only after reading an item that arrives later, and by then its
 * own lease has expired. Returns the agents with waiting items.
 */
export async function claimAgents(deps: ClaimDeps, lease: Lease): Promise<readonly string[]> {
  const waiting = await deps.inbox.waitingAgents([lease.shard]);
  const agentIds = waiting.map(({ id }) => id);
  let unclaimed = agentIds;
  while (unclaimed.length > 0) {
    const heads = await deps.history.findHeads(unclaimed);
    const older = heads.filter(({ fence }) => fence < lease.fence);
    if (!lease.isValid()) throw new LeaseLostError('the lease has expired');
    const writer = { holder: deps.holder, fence: lease.fence };
    const at = deps.now();
    const claims = older.map((head) => nextEntry(head, assumeLease(head.state, at), writer, at));
    const claimed = new Set(await deps.history.appendEach(claims));
    unclaimed = older.map(({ agentId }) => agentId).filter((agentId) => !claimed.has(agentId));
  }
  return agentIds;
}
