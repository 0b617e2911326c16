import { isForeign, lowestTrust, type Trust } from '@daycare/api';

/** What is stored about a file that may contain, or once contained, text that is not the user's own. */
export interface ProvenanceRow {
  readonly path: string;
  /** The lowest trust of the turns that wrote to the file; `own` if the row only says which text is the user's own. */
  readonly trust: Trust;
  /** The hash of the last complete text that one of the user's own turns wrote; that text is not foreign. */
  readonly ownText?: string;
  /** The hash of the text that the person approved as a skill. */
  readonly approvedText?: string;
  readonly markedAt: Date;
}

/** Text that was read from a file. */
export interface ReadText {
  /** The real path, without links. */
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Returns the trust of a text's author; undefined when the text is the user's own. `running` is the lowest trust of
 * text that programs may have written to the file but that is not yet recorded in the file's row.
 */
export function authorOf(
  row: ProvenanceRow | undefined,
  sha256: string,
  running?: Trust,
): Trust | undefined {
  return row?.ownText === sha256 ? undefined : lowestAuthor([row?.trust, running]);
}

/** Returns the lowest trust among the foreign authors; undefined when none of the authors are foreign. */
export function lowestAuthor(authors: readonly (Trust | undefined)[]): Trust | undefined {
  const foreign = authors.filter((trust) => trust !== undefined && isForeign(trust));
  return foreign.reduce(
    (lowest, trust) => (lowest && trust ? lowestTrust(lowest, trust) : (lowest ?? trust)),
    undefined,
  );
}

/** More time than can pass between storing the row of a foreign write and writing its text. */
const settledAfterMs = 15 * 60_000;

/** If a row was marked before the returned time, the foreign write that it records has certainly ended. */
export function settledBefore(now: Date): Date {
  return new Date(now.getTime() - settledAfterMs);
}

/** How long after its start a program is certain to have ended, even if the replica that ran it crashed. */
export const traceEndsAfterMs = 10 * 60_000;
