import { encodePageToken, FieldChecks, fitPage, readPageToken } from '@daycare/api';
import type { PageCursor } from '@daycare/api';
import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import { findVisibleAgent } from './visible-agent';

export interface ListHistoryCall {
  readonly userId: string;
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly afterSequence: number;
  readonly newestFirst: boolean;
}

export interface ListHistoryDeps {
  readonly agents: AgentStore;
  readonly history: HistoryStore;
}

/** Lists an agent's records page by page. A page token contains the last sequence number of the previous page. */
export function makeListHistory({ agents, history }: ListHistoryDeps) {
  return async (
    call: ListHistoryCall,
  ): Promise<{ records: readonly HistoryRecord[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(call.pageSize);
    const last = readPageToken(call.pageToken, checks, readCursor);
    checks.require(call.afterSequence >= 0, 'after_sequence', 'must not be negative').done();
    const agent = await findVisibleAgent(agents, call.userId, call.agentId);
    const { afterSequence, newestFirst } = call;
    // One record more than fits on the page shows whether more follow; long records may end the page earlier.
    const wanted = limit + 1;
    const found = newestFirst
      ? await history.readPageBackwards(agent, {
          after: afterSequence,
          before: last ?? Number.MAX_SAFE_INTEGER,
          limit: wanted,
        })
      : await history.readPage(agent, {
          after: Math.max(afterSequence, last ?? 0),
          limit: wanted,
        });
    const fitted = fitPage(found.records, limit);
    const continueAfter = fitted.last ?? (found.isLastPage ? undefined : fitted.page.at(-1));
    return {
      records: fitted.page,
      nextPageToken: continueAfter ? encodePageToken([continueAfter.sequence]) : '',
    };
  };
}

function readCursor([sequence, ...rest]: PageCursor): number | undefined {
  const isValid = Number.isSafeInteger(sequence) && Number(sequence) > 0 && rest.length === 0;
  return isValid ? Number(sequence) : undefined;
}
