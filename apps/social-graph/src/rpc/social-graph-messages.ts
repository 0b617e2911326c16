import {
  AddFriendStatus,
  DeliveryRefusal,
  DeliveryRelation,
  MessageStatus,
  RemovalStatus,
  ShareStatus,
  TieState,
  type AddFriendResponse,
  type CheckDeliveryResponse,
  type GetMessageStatusResponse,
  type ListFriendsResponse,
  type RemoveFriendResponse,
  type Share as ShareMessage,
  type ShareSubuserResponse,
  type UnshareSubuserResponse,
} from '@daycare/contracts/social-graph';
import type { FriendAnswer } from '../domain/friendship';
import type { ShareAnswer } from '../domain/sharing';
import { friendSummary, shareSummary } from '../domain/wording';
import type { FriendCallAnswer } from '../usecases/add-friend';
import type { DeliveryVerdict } from '../usecases/check-delivery';
import type { KnownMessageStatus } from '../usecases/get-message-status';
import type { FriendLists, ListedShare } from '../usecases/list-friends';
import type { ShareCallAnswer } from '../usecases/share-subuser';

const addStatus: Readonly<Partial<Record<FriendAnswer | ShareAnswer, AddFriendStatus>>> = {
  requested: AddFriendStatus.PENDING_OUT,
  already_requested: AddFriendStatus.PENDING_OUT,
  already_friends: AddFriendStatus.FRIENDS,
  already_active: AddFriendStatus.ACTIVE,
};

const removalStatus: Readonly<Partial<Record<FriendAnswer | ShareAnswer, RemovalStatus>>> = {
  rejected: RemovalStatus.REJECTED,
  canceled: RemovalStatus.CANCELED,
};

function summaryOf(answer: FriendCallAnswer): string {
  return answer.kind === 'user'
    ? friendSummary[answer.answer](answer.nametag)
    : shareSummary[answer.answer](answer.nametag);
}

function namesOf(answer: FriendCallAnswer) {
  const isShare = answer.kind === 'subuser';
  return {
    summary: summaryOf(answer),
    nametag: answer.nametag,
    subuserId: isShare ? answer.subuserId : '',
    subuserNametag: isShare ? answer.nametag : '',
    friendNametag: isShare ? answer.friendNametag : '',
  };
}

export function toAddResponse(answer: FriendCallAnswer): AddFriendResponse {
  const accepted = answer.kind === 'user' ? AddFriendStatus.FRIENDS : AddFriendStatus.ACTIVE;
  return { ...namesOf(answer), status: addStatus[answer.answer] ?? accepted };
}

export function toRemoveResponse(answer: FriendCallAnswer): RemoveFriendResponse {
  return { ...namesOf(answer), status: removalStatus[answer.answer] ?? RemovalStatus.REMOVED };
}

export function toShareResponse({
  answer,
  friendNametag,
  ...subuser
}: ShareCallAnswer): ShareSubuserResponse {
  const status = answer === 'already_active' ? ShareStatus.ACTIVE : ShareStatus.PENDING;
  const summary = shareSummary[answer](friendNametag);
  return { ...subuser, friendNametag, nametag: friendNametag, summary, status };
}

export function toUnshareResponse({
  answer,
  friendNametag,
  ...subuser
}: ShareCallAnswer): UnshareSubuserResponse {
  const summary = shareSummary[answer](friendNametag);
  return {
    ...subuser,
    friendNametag,
    nametag: friendNametag,
    summary,
    status: RemovalStatus.REMOVED,
  };
}

export function toListResponse({
  friends,
  requests,
  blocks,
  counts,
  nextPageToken,
  digest,
}: FriendLists): ListFriendsResponse {
  return {
    friends: friends.map(({ nametag, since: friendsSince, sharesOut, sharesIn }) => ({
      nametag,
      friendsSince,
      sharesOut: sharesOut.map(toShareMessage),
      sharesIn: sharesIn.map(toShareMessage),
    })),
    requests: requests.map(({ nametag, direction, since }) => ({
      nametag,
      state: direction === 'in' ? TieState.PENDING_IN : TieState.PENDING_OUT,
      since,
    })),
    blocks: [...blocks],
    friendCount: counts.friends,
    requestCount: counts.requests,
    blockCount: counts.blocks,
    nextPageToken,
    digest,
  };
}

function toShareMessage(share: ListedShare): ShareMessage {
  const { subuserId, subuserNametag, name, description, offeredAt, acceptedAt } = share;
  return {
    subuserId,
    subuserNametag,
    subuserName: name,
    subuserDescription: description,
    status: share.status === 'active' ? ShareStatus.ACTIVE : ShareStatus.PENDING,
    offeredAt,
    acceptedAt,
  };
}

export function toStatusResponse(status: KnownMessageStatus): GetMessageStatusResponse {
  const { acceptedAt } = status;
  switch (status.state) {
    case 'accepted':
      return { status: MessageStatus.ACCEPTED, deadReason: '', acceptedAt, settledAt: undefined };
    case 'delivered':
      return { status: MessageStatus.DELIVERED, deadReason: '', acceptedAt, settledAt: status.at };
    case 'dead':
      return {
        status: MessageStatus.DEAD,
        deadReason: status.reason,
        acceptedAt,
        settledAt: status.at,
      };
  }
}

const relation = {
  same_user: DeliveryRelation.SAME_USER,
  own_subuser: DeliveryRelation.OWN_SUBUSER,
  owner: DeliveryRelation.OWNER,
  friend: DeliveryRelation.FRIEND,
  shared_subuser: DeliveryRelation.SHARED_SUBUSER,
  share_guest: DeliveryRelation.SHARE_GUEST,
} as const;

const refusal = {
  unknown_user: DeliveryRefusal.UNKNOWN_USER,
  not_friends: DeliveryRefusal.NOT_FRIENDS,
  share_not_active: DeliveryRefusal.SHARE_NOT_ACTIVE,
  outside_subuser: DeliveryRefusal.OUTSIDE_SUBUSER,
} as const;

export function toDeliveryResponse(verdict: DeliveryVerdict): CheckDeliveryResponse {
  return verdict.allowed
    ? { allowed: true, relation: relation[verdict.relation], refusal: DeliveryRefusal.UNSPECIFIED }
    : { allowed: false, relation: DeliveryRelation.UNSPECIFIED, refusal: refusal[verdict.refusal] };
}
