import {
  AddFriendStatus,
  RemovalStatus,
  ShareStatus,
  TieState,
  type AddFriendResponse,
  type BlockUserResponse,
  type Friend,
  type ListFriendsResponse,
  type RemoveFriendResponse,
  type SendFriendMessageResponse,
  type Share,
  type ShareSubuserResponse,
  type UnshareSubuserResponse,
} from '@daycare/contracts/social-graph';
import { wordOf } from '@daycare/contracts/enum-words';
import { fitCharacters } from '../shared/text/fit-characters';
import type {
  BlockChange,
  FriendChange,
  FriendList,
  ListedBlock,
  ListedFriend,
  ListedRequest,
  ListedShare,
  Omitted,
  SentFriendMessage,
} from '../tools';

export function toFriendChange(response: AddFriendResponse): FriendChange {
  return changeOf(response, wordOf(AddFriendStatus, response.status));
}

export function toRemoval(response: RemoveFriendResponse | UnshareSubuserResponse): FriendChange {
  return changeOf(response, wordOf(RemovalStatus, response.status));
}

export function toShareChange(response: ShareSubuserResponse): FriendChange {
  return changeOf(response, wordOf(ShareStatus, response.status));
}

function changeOf(
  {
    summary,
    nametag,
    subuserId,
    subuserNametag,
    friendNametag,
  }: AddFriendResponse | RemoveFriendResponse | ShareSubuserResponse | UnshareSubuserResponse,
  status: string,
): FriendChange {
  const share = subuserId === '' ? {} : { subuserId, subuserNametag, friendNametag };
  return { summary, status, nametag, ...share };
}

export function toSentMessage(response: SendFriendMessageResponse): SentFriendMessage {
  const { summary, nametag, messageId } = response;
  return { summary, nametag, messageId };
}

export function toBlockChange({ summary, nametag }: BlockUserResponse): BlockChange {
  return { summary, nametag };
}

/** One limit per list, so that no list crowds out another; together they are below the limit of a tool result. */
const maxCharacters = { friends: 5_000, requests: 1_500, blocks: 1_000 };
const maxShares = 10;

/** Returns as much of each list as one tool result can hold, and how many entries were left out. */
export function toFriendList(response: ListFriendsResponse): FriendList {
  const { friendCount, requestCount, blockCount } = response;
  const friends = fitCharacters(response.friends.map(toFriend), maxCharacters.friends);
  const requests = fitCharacters(response.requests.map(toRequest), maxCharacters.requests);
  const blocks = fitCharacters(response.blocks.map(toBlock), maxCharacters.blocks);
  const leftOut = omittedOf({
    friends: friendCount - friends.length,
    requests: requestCount - requests.length,
    blocks: blockCount - blocks.length,
  });
  return {
    summary: `Friends: ${friendCount}, open requests: ${requestCount}, blocked: ${blockCount}`,
    friends,
    requests,
    blocks,
    ...(leftOut ? { leftOut } : {}),
  };
}

function toFriend({ nametag, friendsSince, sharesOut, sharesIn }: Friend): ListedFriend {
  const leftOut = omittedOf({
    sharesOut: sharesOut.length - maxShares,
    sharesIn: sharesIn.length - maxShares,
  });
  return {
    nametag,
    since: timeOf(friendsSince),
    ...(sharesOut.length > 0 ? { sharesOut: sharesOut.slice(0, maxShares).map(toShare) } : {}),
    ...(sharesIn.length > 0 ? { sharesIn: sharesIn.slice(0, maxShares).map(toShare) } : {}),
    ...(leftOut ? { leftOut } : {}),
  };
}

function toShare({ subuserId, subuserNametag, subuserName, status }: Share): ListedShare {
  const names = { subuserId, nametag: subuserNametag, name: subuserName };
  return { ...names, status: wordOf(ShareStatus, status) };
}

function toRequest({
  nametag,
  state,
  since,
}: ListFriendsResponse['requests'][number]): ListedRequest {
  const direction = state === TieState.PENDING_IN ? 'pending_in' : 'pending_out';
  return { nametag, state: direction, since: timeOf(since) };
}

function toBlock({ nametag, since }: ListFriendsResponse['blocks'][number]): ListedBlock {
  return { nametag, since: timeOf(since) };
}

function omittedOf(counts: Omitted): Omitted | undefined {
  const omitted = Object.entries(counts).filter(([, count]) => count > 0);
  return omitted.length > 0 ? Object.fromEntries(omitted) : undefined;
}

function timeOf(time: Date | undefined): string {
  return time?.toISOString() ?? '';
}
