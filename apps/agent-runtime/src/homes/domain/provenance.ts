import { isForeign, lowestTrust, type Trust } from '@daycare/api';

/** What is stored about a file that contains, or contained, text that is not the user's own. */
export interface ProvenanceRow {
  readonly path: string;
  /** The lowest trust of the turns that wrote to the file. */
  readonly trust: Trust;
  /** The hash of the last complete text that the user's own turn wrote: that text is not foreign. */
  readonly ownText?: string;
  /** The hash of the text that the person approved as a skill. */
  readonly approvedText?: string;
  readonly markedAt: Date;
}

/** A text as it was read. */
export interface ReadText {
  /** The real path, without links. */
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The trust of the author of a text; undefined when it is the user's own. */
export function authorOf(row: ProvenanceRow | undefined, sha256: string): Trust | undefined {
  return row && row.ownText !== sha256 ? row.trust : undefined;
}

/** The lowest trust of several authors; undefined when all of them are the user. */
export function lowestAuthor(authors: readonly (Trust | undefined)[]): Trust | undefined {
  const foreign = authors.filter((trust) => trust !== undefined && isForeign(trust));
  return foreign.reduce(
    (lowest, trust) => (lowest && trust ? lowestTrust(lowest, trust) : (lowest ?? trust)),
    undefined,
  );
}

/** The longest time between storing the row of a foreign write and writing its text. */
const settledAfterMs = 15 * 60_000;

/** The foreign writes of rows that were marked before this time have certainly ended. */
export function settledBefore(now: Date): Date {
  return new Date(now.getTime() - settledAfterMs);
}

/** How long after its start a program is certain to have ended, even if the replica that ran it crashed. */
export const traceEndsAfterMs = 10 * 60_000;
