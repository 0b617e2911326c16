/** Where a chat begins to show records. */
export interface Backlog {
  /** Records after this sequence number are shown. */
  readonly afterSequence: number;
  /** The number of earlier unseen records, which are left out. */
  readonly skipped: number;
}

/** The maximum number of records to show, because more would push everything else off the screen. */
export const maxBacklog = 50;

/**
 * Plans to show the records since the last visit (on the first visit, all records), or the newest of them if there are
 * too many.
 */
export function planBacklog(lastShown: number | undefined, lastSequence: number): Backlog {
  const from = Math.min(lastShown ?? 0, lastSequence);
  const afterSequence = Math.max(from, lastSequence - maxBacklog);
  return { afterSequence, skipped: afterSequence - from };
}

/** The maximum count that `/history` accepts. */
const maxHistory = 9_999;

/** Says how many records were left out and how to see as many of them as possible; undefined when there are none. */
export function skippedText({ skipped }: Backlog): string | undefined {
  if (skipped === 0) return undefined;
  const count = Math.min(skipped + maxBacklog, maxHistory);
  const shown = count - maxBacklog;
  const them = skipped === 1 ? 'it' : 'them';
  return (
    `… ${skipped} earlier ${skipped === 1 ? 'record' : 'records'}; ` +
    `"/history ${count}" shows ${shown < skipped ? `the newest ${shown} of them` : them}.`
  );
}
