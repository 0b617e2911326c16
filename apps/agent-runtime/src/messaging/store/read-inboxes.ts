import type { Collection } from 'mongodb';
import type { InboxItem } from '../domain/inbox-item';
import { recipientItems, type InboxRow } from './inbox-row';

export interface InboxRead {
  readonly agentId: string;
  readonly limit: number;
}

type FoundRow = InboxRow & { readonly waitingFor: readonly string[] };

/**
 * Returns many agents' next items, each agent's person lane first and each lane oldest first, usually with one query.
 * The index yields one agent's rows after another's, and each query is limited: if a page is full, the next query
 * begins with the first agent that may have rows beyond that page.
 */
export async function readInboxes(
  rows: Collection<InboxRow>,
  reads: readonly InboxRead[],
): Promise<InboxItem[][]> {
  const maxLimit = Math.max(...reads.map(({ limit }) => limit));
  const found = new Map<string, readonly FoundRow[]>();
  let agentIds = [...new Set(reads.map(({ agentId }) => agentId))].sort();
  while (agentIds.length > 0) {
    const limit = maxLimit + 2 * agentIds.length;
    const page = await readPage(rows, agentIds, limit);
    const complete = page.length < limit ? agentIds : completeAgents(agentIds, page);
    for (const agentId of complete) found.set(agentId, rowsOfAgent(agentId, page));
    agentIds = agentIds.slice(complete.length);
  }
  return reads.map(({ agentId, limit }) =>
    (found.get(agentId) ?? []).slice(0, limit).flatMap((row) => recipientItems(agentId, row)),
  );
}

async function readPage(
  rows: Collection<InboxRow>,
  agentIds: readonly string[],
  limit: number,
): Promise<FoundRow[]> {
  const routed = { leadId: 1, waitingFor: 1 };
  const projection = { userId: 1, lane: 1, order: 1, acceptedAt: 1, item: 1, ...routed };
  const waitingFor = { $in: agentIds };
  return rows
    .find<FoundRow>({ waitingFor }, { projection, hint: 'waiting_by_lane' })
    .limit(limit)
    .batchSize(limit + 1)
    .toArray();
}

/**
 * Returns the agents that need no rows beyond this full page: those before the first agent that the page's last row
 * waits for. The first agent is always complete, because a page filled with its rows alone contains enough of them. A
 * row that waits for several agents is listed under the first of them.
 */
function completeAgents(agentIds: readonly string[], page: readonly FoundRow[]): readonly string[] {
  const waiting = new Set(page.at(-1)?.waitingFor);
  const firstIncomplete = agentIds.findIndex((agentId) => waiting.has(agentId));
  return agentIds.slice(0, Math.max(1, firstIncomplete));
}

/** Sorts the rows, because a row shared with another agent may come too early in the page. */
function rowsOfAgent(agentId: string, page: readonly FoundRow[]): FoundRow[] {
  return page
    .filter(({ waitingFor }) => waitingFor.includes(agentId))
    .sort((a, b) => byLane(a, b) || a.order.compare(b.order));
}

function byLane(a: FoundRow, b: FoundRow): number {
  return a.lane === b.lane ? 0 : a.lane === 'person' ? -1 : 1;
}
