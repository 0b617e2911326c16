import { viewOf, type Side, type Tie } from './tie/tie';

/** One of a member's lists. A tie is in at most one list of each of its two members. */
export type ListName = 'friend' | 'request_in' | 'request_out' | 'block';

export interface ListPosition {
  readonly list: ListName;
  /** Sorts the list: friends and blocks by nametag, requests by age. */
  readonly key: string;
}

/** Returns where a tie appears in one side's lists; undefined when none of them shows it. */
export function positionOf(tie: Tie, me: Side, otherNametag: string): ListPosition | undefined {
  if (tie.blockedSince[me]) return { list: 'block', key: otherNametag };
  const view = viewOf(tie, me);
  if (view === 'none') return undefined;
  if (view === 'friends') return { list: 'friend', key: otherNametag };
  const since = tie.bond.kind === 'requested' ? tie.bond.since.toISOString() : '';
  const list = view === 'pending_in' ? 'request_in' : 'request_out';
  return { list, key: `${since} ${otherNametag}` };
}
