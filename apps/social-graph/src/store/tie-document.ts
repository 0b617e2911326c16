import { markOf } from '@daycare/mongo';
import { placeOf, type ListName, type ListPlace } from '../domain/listing';
import type { Pair } from '../domain/pair';
import type { RecentRequest } from '../domain/recent-request';
import type { Bond, Share, Side, Tie } from '../domain/tie';

type Dates = Partial<Record<Side, Date>>;
type StoredShare = Omit<Share, 'acceptedAt'> & { readonly acceptedAt?: Date };

/** One document per pair of users: everything between them, changed in one write. */
export interface TieDocument {
  readonly _id: string;
  readonly low: string;
  readonly high: string;
  readonly lowNametag: string;
  readonly highNametag: string;
  readonly version: number;
  readonly bond: Bond;
  readonly cooldownUntil: Dates;
  readonly blockedSince: Dates;
  readonly requestToldAt: Dates;
  readonly shares: readonly StoredShare[];
  readonly recent: readonly RecentRequest[];
  /** Where each side's lists show the tie; derived, for the indexes. */
  readonly lowList?: ListName;
  readonly lowKey?: string;
  readonly highList?: ListName;
  readonly highKey?: string;
  /** Of all that the side's lists show of it. */
  readonly lowMark?: number;
  readonly highMark?: number;
}

/** A tie with what the store adds to it. */
export interface StoredTie {
  readonly pair: Pair;
  readonly tie: Tie;
  readonly recent: readonly RecentRequest[];
  /** 0 for a tie that was never stored. */
  readonly version: number;
}

export function toDocument({ pair, tie, recent, version }: StoredTie): TieDocument {
  const low = placeOf(tie, 'low', pair.high.nametag);
  const high = placeOf(tie, 'high', pair.low.nametag);
  return {
    _id: pair.id,
    low: pair.low.userId,
    high: pair.high.userId,
    lowNametag: pair.low.nametag,
    highNametag: pair.high.nametag,
    version,
    ...tie,
    shares: tie.shares.map(({ acceptedAt, ...share }) => ({
      ...share,
      ...(acceptedAt && { acceptedAt }),
    })),
    recent,
    ...(low && { lowList: low.list, lowKey: low.key, lowMark: markOfPlace(low, tie, 'low') }),
    ...(high && {
      highList: high.list,
      highKey: high.key,
      highMark: markOfPlace(high, tie, 'high'),
    }),
  };
}

/** Nothing that the side cannot see is in it. */
function markOfPlace({ list, key }: ListPlace, tie: Tie, me: Side): number {
  if (list === 'block') return markOf([list, key, tie.blockedSince[me]]);
  return markOf(list === 'friend' ? [list, key, tie.bond, tie.shares] : [list, key]);
}

export function fromDocument(document: TieDocument): StoredTie {
  const { _id: id, low, high, lowNametag, highNametag, version, recent } = document;
  const { bond, cooldownUntil, blockedSince, requestToldAt } = document;
  const shares = document.shares.map((share) => ({ ...share, acceptedAt: share.acceptedAt }));
  return {
    pair: {
      id,
      low: { userId: low, nametag: lowNametag },
      high: { userId: high, nametag: highNametag },
    },
    tie: { bond, cooldownUntil, blockedSince, requestToldAt, shares },
    recent,
    version,
  };
}
