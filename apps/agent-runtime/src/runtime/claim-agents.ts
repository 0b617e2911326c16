import { nextEntry } from '../domain/agent-state';
import { takeCharge } from '../domain/turn-steps';
import type { HistoryStore } from '../store/history-store';
import type { InboxStore } from '../store/inbox-store';
import { LeaseLostError } from './agent-session';
import type { Lease } from './lease';

export interface ClaimParts {
  readonly history: HistoryStore;
  readonly inbox: InboxStore;
  readonly holder: string;
  readonly now: () => Date;
}

/**
 * Takes the histories of a shard over from whoever held it: every agent with anything in its inbox gets
 * an entry under the new lease, so that whatever the one before still has in hand finds its place taken.
 * Agents with empty inboxes need none: to write for one of those, a replica first has to read an item
 * that came later, and by then it knows that its lease has run out. Returns the agents that wait.
 */
export async function claimAgents(parts: ClaimParts, lease: Lease): Promise<readonly string[]> {
  const waiting = await parts.inbox.waitingAgents([lease.shard]);
  const agentIds = waiting.map(({ _id }) => _id);
  let open = agentIds;
  while (open.length > 0) {
    const heads = await parts.history.findHeads(open);
    const older = heads.filter(({ fence }) => fence < lease.fence);
    if (!lease.isValid()) throw new LeaseLostError('the lease has run out');
    const writer = { holder: parts.holder, fence: lease.fence };
    const at = parts.now();
    const claims = older.map((head) => nextEntry(head, takeCharge(head.state, at), writer, at));
    const claimed = new Set(await parts.history.appendEach(claims));
    open = older.map(({ agentId }) => agentId).filter((agentId) => !claimed.has(agentId));
  }
  return agentIds;
}
