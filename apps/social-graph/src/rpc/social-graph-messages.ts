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
  type Friend as FriendMessage,
  type GetMessageStatusResponse,
  type FriendLimits as LimitsMessage,
  type ListFriendsResponse,
  type RemoveFriendResponse,
  type SendFriendMessageResponse,
  type SetFriendLimitsResponse,
  type SetFriendNicknameResponse,
  type ShareSubuserResponse,
  type UnshareSubuserResponse,
} from '@daycare/contracts/social-graph';
import { enumOf, findWord } from '@daycare/contracts/enum-words';
import { toShareMessage } from '@daycare/contracts/shared-messages';
import type { FriendAnswer } from '../domain/friendship';
import type { ShareAnswer } from '../domain/sharing';
import {
  friendSummary,
  limitSummary,
  nicknameSummary,
  sentSummary,
  shareSummary,
} from '../domain/wording';
import type { FriendCallAnswer } from '../usecases/add-friend';
import type { DeliveryVerdict, Relation } from '../usecases/sending/check-delivery';
import type { KnownMessageStatus } from '../usecases/sending/get-message-status';
import type { FriendLimits } from '../domain/tie/tie';
import type { SetLimitsAnswer } from '../usecases/settings/set-friend-limits';
import type { SetNicknameAnswer } from '../usecases/settings/set-friend-nickname';
import type { FriendLists, ListedFriend, UnchangedLists } from '../usecases/list-friends';
import type { SentMessage } from '../usecases/sending/send-friend-message';
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

const noLists = {
  friends: [],
  requests: [],
  blocks: [],
  friendCount: 0,
  requestCount: 0,
  blockCount: 0,
  nextPageToken: '',
};

export function toListResponse(lists: FriendLists | UnchangedLists): ListFriendsResponse {
  if ('unchangedDigest' in lists)
    return { ...noLists, digest: lists.unchangedDigest, unchanged: true };
  const { friends, requests, blocks, counts, nextPageToken, digest } = lists;
  return {
    friends: friends.map(toFriendMessage),
    requests: requests.map(({ nametag, name, direction, since }) => ({
      nametag,
      name,
      state: direction === 'in' ? TieState.PENDING_IN : TieState.PENDING_OUT,
      since,
    })),
    blocks: [...blocks],
    friendCount: counts.friends,
    requestCount: counts.requests,
    blockCount: counts.blocks,
    nextPageToken,
    digest,
    unchanged: false,
  };
}

/** Lists the fields explicitly: a list has hundreds of friends and shares, and object rest syntax is slow. */
function toFriendMessage(friend: ListedFriend): FriendMessage {
  const { nametag, nickname, name, since: friendsSince, limits } = friend;
  return {
    nametag,
    nickname,
    name,
    friendsSince,
    limits: limits && toLimits(limits),
    sharesOut: friend.sharesOut.map(toShareMessage),
    sharesIn: friend.sharesIn.map(toShareMessage),
  };
}

/** Leaves out undefined fields. */
export function fromLimits(limits: LimitsMessage | undefined): FriendLimits {
  const { messagesPerHour: perHour, messagesWaiting: waiting } = limits ?? {};
  return {
    ...(perHour === undefined ? {} : { perHour }),
    ...(waiting === undefined ? {} : { waiting }),
  };
}

function toLimits({ perHour, waiting }: FriendLimits): LimitsMessage {
  return { messagesPerHour: perHour, messagesWaiting: waiting };
}

export function toLimitsResponse({ nametag, limits }: SetLimitsAnswer): SetFriendLimitsResponse {
  return { summary: limitSummary(nametag, limits), nametag, limits: toLimits(limits) };
}

export function toNicknameResponse(answer: SetNicknameAnswer): SetFriendNicknameResponse {
  return { ...answer, summary: nicknameSummary(answer.nametag, answer.nickname) };
}

export function toSendResponse(sent: SentMessage): SendFriendMessageResponse {
  return { ...sent, summary: sentSummary(sent.nametag) };
}

export function toStatusResponse(status: KnownMessageStatus): GetMessageStatusResponse {
  return {
    status: enumOf(MessageStatus, status.state),
    deadReason: status.state === 'dead' ? status.reason : '',
    acceptedAt: status.acceptedAt,
    settledAt: status.state === 'accepted' ? undefined : status.at,
  };
}

export function toDeliveryResponse(verdict: DeliveryVerdict): CheckDeliveryResponse {
  return verdict.allowed
    ? {
        allowed: true,
        relation: enumOf(DeliveryRelation, verdict.relation),
        refusal: DeliveryRefusal.UNSPECIFIED,
      }
    : {
        allowed: false,
        relation: DeliveryRelation.UNSPECIFIED,
        refusal: enumOf(DeliveryRefusal, verdict.refusal),
      };
}

/** Leaves out relations that this version does not know. */
export function toRelations(relations: readonly DeliveryRelation[]): Relation[] {
  return relations.flatMap((relation) => findWord(DeliveryRelation, relation) ?? []);
}
