import type { BlockAnswer } from './blocking';
import type { FriendAnswer } from './friendship';
import type { ShareAnswer } from './sharing';
import type { FriendLimits, NoticeKind } from './tie/tie';

/** One sentence per answer, for people and models. */
export const friendSummary: Readonly<Record<FriendAnswer, (nametag: string) => string>> = {
  requested: (nametag) => `Friend request sent to ${nametag}`,
  already_requested: (nametag) => `Friend request to ${nametag} is already pending`,
  accepted: (nametag) => `You and ${nametag} are now friends`,
  already_friends: (nametag) => `You and ${nametag} are already friends`,
  removed: (nametag) => `Removed ${nametag} as friend`,
  rejected: (nametag) => `Rejected the friend request from ${nametag}`,
  canceled: (nametag) => `Canceled the friend request to ${nametag}`,
};

export const blockSummary: Readonly<Record<BlockAnswer, (nametag: string) => string>> = {
  blocked: (nametag) => `Blocked ${nametag}`,
  already_blocked: (nametag) => `${nametag} is already blocked`,
  unblocked: (nametag) => `Unblocked ${nametag}`,
};

/** `nametag` names the friend in answers to the owner, and the subuser in answers to the friend. */
export const shareSummary: Readonly<Record<ShareAnswer, (nametag: string) => string>> = {
  offered: (nametag) => `Shared subuser with ${nametag} (pending acceptance)`,
  already_pending: (nametag) => `Subuser is already shared with ${nametag} (pending acceptance)`,
  already_active: (nametag) => `Subuser share with ${nametag} is already active`,
  accepted: (nametag) => `Accepted shared subuser ${nametag}`,
  declined: (nametag) => `Declined shared subuser ${nametag}`,
  given_up: (nametag) => `Gave up shared subuser ${nametag}`,
  revoked: (nametag) => `Revoked subuser share from ${nametag}`,
};

export function limitSummary(nametag: string, { perHour, waiting }: FriendLimits): string {
  const parts = [
    ...(perHour === undefined ? [] : [`at most ${perHour} messages per hour`]),
    ...(waiting === undefined ? [] : [`have at most ${waiting} messages waiting`]),
  ];
  if (parts.length === 0) return `${nametag} may send you as many messages as any friend`;
  return `${nametag} may ${perHour === undefined ? '' : 'send you '}${parts.join(' and ')}`;
}

export function nicknameSummary(nametag: string, nickname: string): string {
  return nickname === ''
    ? `${nametag} has no nickname in your list`
    : `${nametag} is ${nickname} in your list`;
}

export const sentSummary = (nametag: string): string => `Message sent to ${nametag}`;

/** What the text of a notice may mention. */
export interface NoticeFacts {
  readonly actorNametag: string;
  readonly subuserNametag: string;
  readonly subuserName: string;
  readonly subuserDescription: string;
}

/** The text of each notice, which agents read; the structured notice says the same. */
export const noticeText: Readonly<Record<NoticeKind, (facts: NoticeFacts) => string>> = {
  friend_requested: ({ actorNametag }) =>
    `${actorNametag} wants to be your friend. To accept: friend_add("${actorNametag}"). To reject: friend_remove("${actorNametag}").`,
  friend_accepted: ({ actorNametag }) =>
    `${actorNametag} accepted your friend request. You are now friends.`,
  friend_removed: ({ actorNametag }) =>
    `${actorNametag} ended your friendship. Subusers shared between you are no longer available.`,
  share_offered: ({ actorNametag, subuserNametag, subuserName, subuserDescription }) =>
    `${actorNametag} offers to share the subuser "${subuserName}" (${subuserNametag}) with you.` +
    (subuserDescription === '' ? '' : ` It is described as "${subuserDescription}".`) +
    ` To accept: friend_add("${subuserNametag}").`,
  share_accepted: ({ actorNametag, subuserNametag }) =>
    `${actorNametag} accepted your shared subuser ${subuserNametag} and can now message it.`,
  share_given_up: ({ actorNametag, subuserNametag }) =>
    `${actorNametag} gave up your shared subuser ${subuserNametag}.`,
  share_revoked: ({ actorNametag, subuserNametag }) =>
    `${actorNametag} no longer shares the subuser ${subuserNametag} with you.`,
};
