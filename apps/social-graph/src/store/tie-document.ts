import type { Binary, Document, ObjectId } from 'mongodb';
import { fingerprint } from '@daycare/mongo';
import { positionOf, type ListName, type ListPosition } from '../domain/listing';
import type { OpenNotice } from '../domain/tie/notices';
import type { Pair } from '../domain/tie/pair';
import type { TieRequest } from '../domain/tie/tie-requests';
import { noTie, type Bond, type Share, type Side, type Tie } from '../domain/tie/tie';

type Dates = Partial<Record<Side, Date>>;
type StoredShare = Omit<Share, 'acceptedAt'> & { readonly acceptedAt?: Date };

/** A notice that waits in the tie for its receipt. */
export interface StoredNotice extends OpenNotice {
  /** The encoded SystemMessage. */
  readonly payload: Binary;
  /** The service that receives the notice; absent if agents do. */
  readonly service?: string;
  readonly traceparent?: string;
  readonly predecessors: readonly string[];
  readonly acceptedAt: Date;
  /** How many times it was published without getting a receipt. */
  readonly publications: number;
  readonly publishedAt: Date;
  readonly nextAttemptAt: Date;
  /** Identifies the relay's batch that published it last. */
  readonly claim?: string;
}

/** The notices of a tie; `dueAt` is absent while there are none. */
export interface WithNotices {
  readonly notices?: readonly StoredNotice[];
  /** The earliest time at which one of them is due for publication again. */
  readonly dueAt?: Date;
}

/** The part of the document that a change to the tie extends instead of replacing. */
interface CarriedOver extends WithNotices {
  /** The ids of the latest writes that replaced the document, newest last. */
  readonly writes?: readonly ObjectId[];
}

/** One document per pair of users: everything between them, changed in one write. */
export interface TieDocument extends CarriedOver {
  readonly _id: string;
  readonly low: string;
  readonly high: string;
  readonly lowNametag: string;
  readonly highNametag: string;
  readonly version: number;
  readonly bond: Bond;
  readonly cooldownUntil: Dates;
  readonly blockedSince: Dates;
  readonly requestNotifiedAt: Dates;
  readonly shares: readonly StoredShare[];
  readonly limits: Tie['limits'];
  readonly nicknames?: NonNullable<Tie['nicknames']>;
  readonly offers: Tie['offers'];
  readonly recent: readonly TieRequest[];
  /** The position of the tie in each side's lists, derived from the other fields for the indexes. */
  readonly lowList?: ListName;
  readonly lowKey?: string;
  readonly highList?: ListName;
  readonly highKey?: string;
  /**
   * The time from which the tie need not be stored. The tie is removed at that time or, if notices are then still
   * waiting for their receipts, after the last receipt has arrived.
   */
  readonly emptyAt?: Date;
  readonly expiresAt?: Date;
  /** A fingerprint of what each side's lists show of the tie, derived like its position. */
  readonly lowMark?: number;
  readonly highMark?: number;
}

/** What remains of a tie after a member was deleted, until all its notices have their receipts. */
export interface EndedTieDocument extends CarriedOver {
  readonly _id: string;
  readonly version: number;
  readonly lowNametag: string;
  readonly highNametag: string;
  readonly ended: true;
  readonly expiresAt?: Date;
}

/**
 * Returns an expression for when a document with these notices expires: never before each has its receipt.
 */
export function expiryOf(notices: unknown, document: string): Document {
  const emptyAt = { $ifNull: [`${document}.emptyAt`, '$$REMOVE'] };
  const unneededAt = { $cond: [`${document}.ended`, '$$NOW', emptyAt] };
  return { $cond: [{ $eq: [notices, []] }, unneededAt, '$$REMOVE'] };
}

/** A tie with its remembered requests, version and notices. */
export interface StoredTie {
  readonly pair: Pair;
  readonly tie: Tie;
  readonly recent: readonly TieRequest[];
  /** 0 for a tie that is not stored. */
  readonly version: number;
  /** For a tie that is not stored: the version that its first stored version follows; 0 if absent. */
  readonly versionBefore?: number;
  /** The time from which the tie need not be stored; absent while it must be, and in a tie just read. */
  readonly emptyAt?: Date | undefined;
  /** The notices without a receipt, oldest first; absent when there are none. */
  readonly notices?: readonly OpenNotice[];
}

/** What lists show of a tie. */
export interface ListedContent {
  readonly pair: Pair;
  readonly tie: Pick<Tie, 'bond' | 'blockedSince' | 'shares' | 'limits' | 'nicknames'>;
}

/** The only fields read for lists, because lists are long and a tie's requests and notices can be large. */
export const listedFields = {
  lowNametag: 1,
  highNametag: 1,
  bond: 1,
  blockedSince: 1,
  shares: 1,
  limits: 1,
  nicknames: 1,
  lowKey: 1,
  highKey: 1,
} as const;

export type ListedDocument = Pick<TieDocument, keyof typeof listedFields | '_id'>;

/** Returns the version that the next change to a tie creates. */
export function nextVersionOf({ version, versionBefore = 0 }: StoredTie): number {
  return (version === 0 ? versionBefore : version) + 1;
}

/** Returns the document of a tie, without its notices. */
export function toDocument({ pair, tie, recent, version, emptyAt }: StoredTie): TieDocument {
  const low = positionOf(tie, 'low', pair.high.nametag);
  const high = positionOf(tie, 'high', pair.low.nametag);
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
    ...(emptyAt && { emptyAt }),
    ...(low && { lowList: low.list, lowKey: low.key, lowMark: fingerprintOf(low, tie, 'low') }),
    ...(high && {
      highList: high.list,
      highKey: high.key,
      highMark: fingerprintOf(high, tie, 'high'),
    }),
  };
}

/** Covers only what the side can see, so being blocked does not change a side's fingerprint. */
function fingerprintOf({ list, key }: ListPosition, tie: Tie, me: Side): number {
  if (list === 'block') return fingerprint([list, key, tie.blockedSince[me]]);
  if (list !== 'friend') return fingerprint([list, key]);
  const nickname = tie.nicknames?.[me];
  const shown = [list, key, tie.bond, tie.shares, tie.limits[me]];
  return fingerprint(nickname === undefined ? shown : [...shown, nickname]);
}

export function toEndedDocument({ pair, version }: StoredTie): EndedTieDocument {
  const nametags = { lowNametag: pair.low.nametag, highNametag: pair.high.nametag };
  return { _id: pair.id, version, ...nametags, ended: true };
}

export function fromDocument(document: TieDocument | EndedTieDocument): StoredTie {
  const { version, notices = [] } = document;
  const pair = pairIn(document);
  const open = notices.length > 0 ? { notices: notices.map(toOpenNotice) } : {};
  if ('ended' in document) return { pair, tie: noTie, recent: [], version, ...open };
  return { pair, ...contentOf(document), version, ...open };
}

export function fromListedDocument(document: ListedDocument): ListedContent {
  const { bond, blockedSince, limits, nicknames } = document;
  const shares = document.shares.map(toShare);
  const tie = { bond, blockedSince, shares, limits, ...(nicknames && { nicknames }) };
  return { pair: pairIn(document), tie };
}

function pairIn({
  _id: id,
  lowNametag,
  highNametag,
}: Pick<TieDocument, '_id' | 'lowNametag' | 'highNametag'>): Pair {
  const [low = '', high = ''] = id.split(':');
  return {
    id,
    low: { userId: low, nametag: lowNametag },
    high: { userId: high, nametag: highNametag },
  };
}

function toShare(share: StoredShare): Share {
  return { ...share, acceptedAt: share.acceptedAt };
}

function toOpenNotice({ id, to, closes }: StoredNotice): OpenNotice {
  return { id, to, ...(closes && { closes }) };
}

function contentOf(document: TieDocument): Pick<StoredTie, 'tie' | 'recent'> {
  const { bond, cooldownUntil, blockedSince, requestNotifiedAt, limits, offers, recent } = document;
  const shares = document.shares.map(toShare);
  const dates = { cooldownUntil, blockedSince, requestNotifiedAt };
  const { nicknames } = document;
  return {
    tie: { bond, ...dates, shares, limits, offers, ...(nicknames && { nicknames }) },
    recent,
  };
}
