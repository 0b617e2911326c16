import type { Move } from './friendship';
import {
  otherSide,
  refuse,
  unchanged,
  type Change,
  type Decision,
  type OffersInHour,
  type Refusal,
  type Share,
  type Side,
  type Tie,
} from './tie/tie';

export type ShareState = 'none' | 'pending' | 'active';
export type ShareCommand = 'offer' | 'accept' | 'give_up' | 'revoke';
export type ShareAnswer =
  | 'offered'
  | 'already_pending'
  | 'already_active'
  | 'accepted'
  | 'declined'
  | 'given_up'
  | 'revoked';

/** What friends may see of a subuser. Its system prompt is not included. */
export interface SubuserFacts {
  readonly name: string;
  readonly description: string;
}

/** The subuser that a call names. Its id and nametag never change; only an offer needs the name and description. */
export interface SharedSubuser extends Partial<SubuserFacts> {
  readonly id: string;
  readonly nametag: string;
}

export interface ShareMove extends Move {
  readonly subuser: SharedSubuser;
}

const hourMs = 60 * 60 * 1000;

type Cell = (move: ShareMove, share: Share) => Decision<ShareAnswer>;

/** Who may use each command: the owner of the subuser, or the friend it is offered to. */
const allowedCaller: Readonly<Record<ShareCommand, 'owner' | 'friend'>> = {
  offer: 'owner',
  accept: 'friend',
  give_up: 'friend',
  revoke: 'owner',
};

const noShare = (): Decision<ShareAnswer> => refuse('no_share');

/** The outcome of every command in every state of a share. */
export const sharingTable: Readonly<Record<ShareCommand, Readonly<Record<ShareState, Cell>>>> = {
  offer: {
    none: (move) => offer(move),
    pending: () => unchanged('already_pending'),
    active: () => unchanged('already_active'),
  },
  accept: {
    none: noShare,
    pending: accept,
    active: () => unchanged('already_active'),
  },
  give_up: {
    none: noShare,
    pending: (move, share) => end(move, share, 'declined', undefined),
    active: (move, share) => end(move, share, 'given_up', 'share_given_up'),
  },
  revoke: {
    none: noShare,
    pending: (move, share) => end(move, share, 'revoked', 'share_revoked'),
    active: (move, share) => end(move, share, 'revoked', 'share_revoked'),
  },
};

/** Decides the outcome of a sharing command. Shares exist between friends only. */
export function decideSharing(command: ShareCommand, move: ShareMove): Decision<ShareAnswer> {
  if (command === 'offer' && move.tie.bond.kind !== 'friends') return refuse('not_friends');
  const owner = allowedCaller[command] === 'owner' ? move.me : otherSide[move.me];
  const share = findShare(move.tie, move.subuser.id, owner);
  return sharingTable[command][share?.status ?? 'none'](move, share ?? newShare(move, owner));
}

/** Finds the share of a subuser that `owner` offered to the other side. */
export function findShare(tie: Tie, subuserId: string, owner: Side): Share | undefined {
  return tie.shares.find((share) => share.subuserId === subuserId && share.owner === owner);
}

/** Returns the tie with a subuser's current name and description; undefined if no share in the tie needs the change. */
export function updateShareFacts(
  tie: Tie,
  subuserId: string,
  facts: SubuserFacts,
): Tie | undefined {
  const { name: subuserName, description: subuserDescription } = facts;
  const isOutdated = (share: Share): boolean =>
    share.subuserId === subuserId &&
    (share.subuserName !== subuserName || share.subuserDescription !== subuserDescription);
  if (!tie.shares.some(isOutdated)) return undefined;
  const shares = tie.shares.map((share) =>
    isOutdated(share) ? { ...share, subuserName, subuserDescription } : share,
  );
  return { ...tie, shares };
}

function newShare({ subuser, now }: ShareMove, owner: Side): Share {
  return {
    subuserId: subuser.id,
    subuserNametag: subuser.nametag,
    subuserName: subuser.name ?? '',
    subuserDescription: subuser.description ?? '',
    owner,
    status: 'pending',
    offeredAt: now,
    acceptedAt: undefined,
  };
}

function offer(move: ShareMove): Change<ShareAnswer> | Refusal {
  const { tie, me, policy, now } = move;
  if (tie.shares.length >= policy.maxShares) return refuse('too_many_shares');
  const offers = countOffer(tie.offers[me], now);
  if (offers.count > policy.offersPerHour)
    return refuse('too_many_offers', new Date(offers.from.getTime() + hourMs));
  const share = newShare(move, me);
  const shares = [...tie.shares, share];
  const next = { ...tie, shares, offers: { ...tie.offers, [me]: offers } };
  return { tie: next, answer: 'offered', notice: 'share_offered', share };
}

/** Counts an offer. Each hour begins with its first offer. */
function countOffer(earlier: OffersInHour | undefined, now: Date): OffersInHour {
  const isSameHour = earlier !== undefined && now.getTime() - earlier.from.getTime() < hourMs;
  return isSameHour ? { ...earlier, count: earlier.count + 1 } : { from: now, count: 1 };
}

function accept({ tie, now }: ShareMove, pending: Share): Change<ShareAnswer> {
  const share: Share = { ...pending, status: 'active', acceptedAt: now };
  const shares = tie.shares.map((current) => (current === pending ? share : current));
  return { tie: { ...tie, shares }, answer: 'accepted', notice: 'share_accepted', share };
}

function end(
  { tie }: ShareMove,
  share: Share,
  answer: ShareAnswer,
  notice: Change['notice'],
): Change<ShareAnswer> {
  const shares = tie.shares.filter((current) => current !== share);
  const ended = { tie: { ...tie, shares }, answer, notice, share };
  // A pending offer has allowed no messages yet, so there are none to end.
  return share.status === 'active' ? { ...ended, closes: { subuserId: share.subuserId } } : ended;
}
