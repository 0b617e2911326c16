import { viewOf, type Side, type Tie } from './tie';

/** The list of its member in which a tie appears; each tie is in at most one list of each side. */
export type ListName = 'friend' | 'request_in' | 'request_out' | 'block';

export interface ListPlace {
  readonly list: ListName;
  /** Sorts the list: friends and blocks by nametag, requests by age. */
  readonly key: string;
}

/** Where a tie stands in the lists of one side; undefined when it is of no concern to it. */
export function placeOf(tie: Tie, me: Side, otherNametag: string): ListPlace | undefined {
  if (tie.blockedSince[me]) return { list: 'block', key: otherNametag };
  const view = viewOf(tie, me);
  if (view === 'none') return undefined;
  if (view === 'friends') return { list: 'friend', key: otherNametag };
  const since = tie.bond.kind === 'requested' ? tie.bond.since.toISOString() : '';
  const list = view === 'pending_in' ? 'request_in' : 'request_out';
  return { list, key: `${since} ${otherNametag}` };
}
