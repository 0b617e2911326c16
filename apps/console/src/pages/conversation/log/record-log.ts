import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

/** Consecutive records of a history, oldest first. */
export type RecordLog = readonly HistoryRecord[];

/** Returns the sequence number after which a stream resumes; 0 if no record is known. */
export function lastSequence(log: RecordLog): number {
  return log.at(-1)?.sequence ?? 0;
}

/** Appends records from a stream. Known records are dropped, so that none appears twice. */
export function appendRecords(log: RecordLog, records: readonly HistoryRecord[]): RecordLog {
  let last = lastSequence(log);
  const fresh = records.filter(({ sequence }) => {
    const isFresh = sequence > last;
    if (isFresh) last = sequence;
    return isFresh;
  });
  return fresh.length === 0 ? log : [...log, ...fresh];
}

/** Prepends an earlier page, which is newest first. */
export function prependPage(log: RecordLog, page: readonly HistoryRecord[]): RecordLog {
  const first = log[0]?.sequence ?? Infinity;
  return [...page.filter(({ sequence }) => sequence < first).reverse(), ...log];
}

/** Drops all but the newest records; the others can be read again. */
export function keepNewest(log: RecordLog, max: number): RecordLog {
  return log.length > max ? log.slice(-max) : log;
}
