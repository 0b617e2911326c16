import type { Move } from './friendship';
import {
  otherSide,
  refuse,
  unchanged,
  type Change,
  type Decision,
  type Share,
  type Side,
  type Tie,
} from './tie';

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

/** The subuser a call is about, with what never changes of it. */
export interface SharedSubuser {
  readonly id: string;
  readonly nametag: string;
}

export interface ShareMove extends Move {
  readonly subuser: SharedSubuser;
}

type Cell = (move: ShareMove, share: Share) => Decision<ShareAnswer>;

/** Who may make each call: the owner of the subuser, or the friend it is offered to. */
const maker: Readonly<Record<ShareCommand, 'owner' | 'friend'>> = {
  offer: 'owner',
  accept: 'friend',
  give_up: 'friend',
  revoke: 'owner',
};

const absent = (): Decision<ShareAnswer> => refuse('no_share');

/** Every call in every state of a share between friends. */
export const sharingTable: Readonly<Record<ShareCommand, Readonly<Record<ShareState, Cell>>>> = {
  offer: {
    none: (move) => offer(move),
    pending: () => unchanged('already_pending'),
    active: () => unchanged('already_active'),
  },
  accept: {
    none: absent,
    pending: accept,
    active: () => unchanged('already_active'),
  },
  give_up: {
    none: absent,
    pending: (move, share) => end(move, share, 'declined', undefined),
    active: (move, share) => end(move, share, 'given_up', 'share_given_up'),
  },
  revoke: {
    none: absent,
    pending: (move, share) => end(move, share, 'revoked', 'share_revoked'),
    active: (move, share) => end(move, share, 'revoked', 'share_revoked'),
  },
};

/** What a call about a share leads to. Shares exist between friends only. */
export function decideSharing(command: ShareCommand, move: ShareMove): Decision<ShareAnswer> {
  if (command === 'offer' && move.tie.bond.kind !== 'friends') return refuse('not_friends');
  const owner = maker[command] === 'owner' ? move.me : otherSide[move.me];
  const share = findShare(move.tie, move.subuser.id, owner);
  return sharingTable[command][share?.status ?? 'none'](move, share ?? draft(move, owner));
}

/** The share of a subuser that `owner` has made to the other side. */
export function findShare(tie: Tie, subuserId: string, owner: Side): Share | undefined {
  return tie.shares.find((share) => share.subuserId === subuserId && share.owner === owner);
}

function draft({ subuser, now }: ShareMove, owner: Side): Share {
  return {
    subuserId: subuser.id,
    subuserNametag: subuser.nametag,
    owner,
    status: 'pending',
    offeredAt: now,
    acceptedAt: undefined,
  };
}

function offer(move: ShareMove): Change<ShareAnswer> {
  const share = draft(move, move.me);
  const shares = [...move.tie.shares, share];
  return { tie: { ...move.tie, shares }, answer: 'offered', notice: 'share_offered', share };
}

function accept({ tie, now }: ShareMove, pending: Share): Change<ShareAnswer> {
  const share: Share = { ...pending, status: 'active', acceptedAt: now };
  const shares = tie.shares.map((each) => (each === pending ? share : each));
  return { tie: { ...tie, shares }, answer: 'accepted', notice: 'share_accepted', share };
}

function end(
  { tie }: ShareMove,
  share: Share,
  answer: ShareAnswer,
  notice: Change['notice'],
): Change<ShareAnswer> {
  const shares = tie.shares.filter((each) => each !== share);
  return { tie: { ...tie, shares }, answer, notice, share };
}
