import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

/** Reads one page of a history, oldest first. */
export type ReadHistory = (request: {
  readonly afterSequence: number;
  readonly pageSize: number;
  readonly pageToken: string;
}) => Promise<{ readonly records: readonly HistoryRecord[]; readonly nextPageToken: string }>;

/**
 * Reads the last `count` records before sequence number `first`; returns them newest first. Sequence numbers have no
 * gaps, so the start of the range can be computed. A page with large records ends early; the rest is on the next pages.
 */
export async function readBefore(
  read: ReadHistory,
  first: number,
  count: number,
): Promise<readonly HistoryRecord[]> {
  const afterSequence = Math.max(0, first - 1 - count);
  const pageSize = first - 1 - afterSequence;
  const records: HistoryRecord[] = [];
  let pageToken = '';
  do {
    const page = await read({ afterSequence, pageSize, pageToken });
    records.push(...page.records);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && (records.at(-1)?.sequence ?? 0) < first - 1);
  return records.filter(({ sequence }) => sequence < first).reverse();
}
