import type { HistoryRecord } from '@daycare/contracts/agent-runtime';

/** A part of a history without holes, oldest first. */
export type RecordLog = readonly HistoryRecord[];

/** The sequence after which a stream continues; 0 for a history of which nothing is known. */
export function lastSequence(log: RecordLog): number {
  return log.at(-1)?.sequence ?? 0;
}

/** Adds what a stream has sent. What is known already is left out, so that nothing appears twice. */
export function appendRecords(log: RecordLog, records: readonly HistoryRecord[]): RecordLog {
  let last = lastSequence(log);
  const fresh = records.filter(({ sequence }) => {
    const isFresh = sequence > last;
    if (isFresh) last = sequence;
    return isFresh;
  });
  return fresh.length === 0 ? log : [...log, ...fresh];
}

/** Adds an earlier page, which is newest first. */
export function prependPage(log: RecordLog, page: readonly HistoryRecord[]): RecordLog {
  const first = log[0]?.sequence ?? Infinity;
  return [...page.filter(({ sequence }) => sequence < first).reverse(), ...log];
}

/** The newest records only; what is left out can be read again. */
export function keepNewest(log: RecordLog, max: number): RecordLog {
  return log.length > max ? log.slice(-max) : log;
}
