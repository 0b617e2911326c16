/**
 * The look-ups that a call has made for the name in it. Before NOT_FOUND is returned, the look-ups that were
 * not needed are performed as well, so that a nametag that does not exist costs as much as one that the
 * caller may not see.
 */
export interface Lookups {
  /** Requests to identity for a nametag. */
  nametags: number;
  /** Requests to identity for a user id. */
  ids: number;
  /** Reads of the database. */
  reads: number;
  /**
   * Set if the text could be a nametag, but no user and no subuser that the caller may see has it; it may still be the
   * name of one of the caller's own subusers.
   */
  isUnknownNametag?: true;
}

/** The kinds of look-ups that are counted. */
export type LookupKind = 'nametags' | 'ids' | 'reads';

/** What the most expensive call that ends in NOT_FOUND looks up. */
export const fullLookups: Readonly<Record<LookupKind, number>> = { nametags: 1, ids: 1, reads: 2 };

export function noLookups(): Lookups {
  return { nametags: 0, ids: 0, reads: 0 };
}

/** Counts a look-up if `lookups` is given. */
export function countLookup(lookups: Lookups | undefined, kind: LookupKind): void {
  if (lookups) lookups[kind] += 1;
}
