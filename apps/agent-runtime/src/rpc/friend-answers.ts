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
import { AppError } from '@daycare/errors';
import { fitCharacters } from '../domain/fit-characters';

const addStatus: Partial<Record<AddFriendStatus, string>> = {
  [AddFriendStatus.PENDING_OUT]: 'pending_out',
  [AddFriendStatus.FRIENDS]: 'friends',
  [AddFriendStatus.ACTIVE]: 'active',
};

const removalStatus: Partial<Record<RemovalStatus, string>> = {
  [RemovalStatus.REMOVED]: 'removed',
  [RemovalStatus.REJECTED]: 'rejected',
  [RemovalStatus.CANCELED]: 'canceled',
};

const shareStatus: Partial<Record<ShareStatus, string>> = {
  [ShareStatus.PENDING]: 'pending',
  [ShareStatus.ACTIVE]: 'active',
};

export function toAddAnswer(answer: AddFriendResponse) {
  const { summary, nametag } = answer;
  const status = wordOf(addStatus, answer.status);
  return { summary, status, nametag, ...(answer.subuserId ? shareNames(answer) : {}) };
}

export function toRemoveAnswer(answer: RemoveFriendResponse) {
  const { summary, nametag } = answer;
  const status = wordOf(removalStatus, answer.status);
  return { summary, status, nametag, ...(answer.subuserId ? shareNames(answer) : {}) };
}

export function toSentAnswer({ summary, nametag, messageId }: SendFriendMessageResponse) {
  return { summary, nametag, messageId };
}

export function toShareAnswer(answer: ShareSubuserResponse) {
  const { summary, nametag } = answer;
  const status = wordOf(shareStatus, answer.status);
  return { summary, status, nametag, ...shareNames(answer) };
}

export function toUnshareAnswer(answer: UnshareSubuserResponse) {
  const { summary, nametag } = answer;
  const status = wordOf(removalStatus, answer.status);
  return { summary, status, nametag, ...shareNames(answer) };
}

export function toBlockAnswer({ summary, nametag }: BlockUserResponse) {
  return { summary, nametag };
}

/** Together less than the result of a tool may have; none of the lists can crowd out another. */
const mostCharacters = { friends: 5_000, requests: 1_500, blocks: 1_000 };
const mostShares = 10;

/** The lists as far as one result of a tool holds them, with how many of each there are. */
export function toFriendList(answer: ListFriendsResponse) {
  const { friendCount, requestCount, blockCount } = answer;
  const friends = fitCharacters(answer.friends.map(toFriend), mostCharacters.friends);
  const requests = fitCharacters(answer.requests.map(toRequest), mostCharacters.requests);
  const blocks = fitCharacters(answer.blocks.map(toBlock), mostCharacters.blocks);
  const leftOut = onlyCounted({
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

function toFriend({ nametag, friendsSince, sharesOut, sharesIn }: Friend) {
  const more = onlyCounted({
    sharesOut: sharesOut.length - mostShares,
    sharesIn: sharesIn.length - mostShares,
  });
  return {
    nametag,
    since: timeOf(friendsSince),
    ...(sharesOut.length > 0 ? { sharesOut: sharesOut.slice(0, mostShares).map(toShare) } : {}),
    ...(sharesIn.length > 0 ? { sharesIn: sharesIn.slice(0, mostShares).map(toShare) } : {}),
    ...(more ? { leftOut: more } : {}),
  };
}

function toShare({ subuserId, subuserNametag, subuserName, status }: Share) {
  const names = { subuserId, nametag: subuserNametag, name: subuserName };
  return { ...names, status: wordOf(shareStatus, status) };
}

function toRequest({ nametag, state, since }: ListFriendsResponse['requests'][number]) {
  const direction = state === TieState.PENDING_IN ? 'pending_in' : 'pending_out';
  return { nametag, state: direction, since: timeOf(since) };
}

function toBlock({ nametag, since }: ListFriendsResponse['blocks'][number]) {
  return { nametag, since: timeOf(since) };
}

function shareNames({
  subuserId,
  subuserNametag,
  friendNametag,
}: Pick<ShareSubuserResponse, 'subuserId' | 'subuserNametag' | 'friendNametag'>) {
  return { subuserId, subuserNametag, friendNametag };
}

function onlyCounted(counts: Readonly<Record<string, number>>): object | undefined {
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  return counted.length > 0 ? Object.fromEntries(counted) : undefined;
}

function timeOf(time: Date | undefined): string {
  return time?.toISOString() ?? '';
}

/** A status that we have no word for was made by a newer social-graph than we know. */
function wordOf<S extends string>(words: Partial<Record<S, string>>, status: S): string {
  const word = words[status];
  if (word) return word;
  throw new AppError('INTERNAL', 'Internal error', {}, { cause: `unknown status ${status}` });
}
