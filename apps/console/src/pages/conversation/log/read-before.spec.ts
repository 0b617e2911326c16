import { describe, expect, it } from '@jest/globals';
import { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { readBefore, type ReadHistory } from './read-before';

/** Creates a history whose pages end after at most `maxPerPage` records, as pages with large records do. */
function historyOf(length: number, maxPerPage: number): { read: ReadHistory; tokens: string[] } {
  const tokens: string[] = [];
  const read: ReadHistory = ({ afterSequence, pageSize, pageToken }) => {
    tokens.push(pageToken);
    const from = pageToken === '' ? afterSequence : Number(pageToken);
    const to = Math.min(length, from + Math.min(pageSize, maxPerPage));
    const records = Array.from({ length: to - from }, (_, index) =>
      HistoryRecord.fromPartial({ sequence: from + index + 1 }),
    );
    return Promise.resolve({ records, nextPageToken: to < length ? String(to) : '' });
  };
  return { read, tokens };
}

const sequences = (records: readonly HistoryRecord[]) => records.map(({ sequence }) => sequence);

describe('readBefore', () => {
  it('reads the records before the first known record, newest first', async () => {
    const { read, tokens } = historyOf(10, 100);
    expect(sequences(await readBefore(read, 8, 3))).toEqual([7, 6, 5]);
    expect(tokens).toEqual(['']);
  });

  it('leaves no gap where a page ended early', async () => {
    const { read, tokens } = historyOf(20, 2);
    expect(sequences(await readBefore(read, 9, 300))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(tokens).toEqual(['', '2', '4', '6']);
  });

  it('omits records that are already known', async () => {
    const { read } = historyOf(20, 3);
    expect(sequences(await readBefore(read, 6, 4))).toEqual([5, 4, 3, 2]);
  });
});
