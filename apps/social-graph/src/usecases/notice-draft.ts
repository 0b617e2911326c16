import { NoticeKind as WireKind, type Recipient } from '@daycare/contracts/common';
import type { MessageDraft } from '@daycare/messaging';
import type { Member } from '../domain/pair';
import type { NoticeKind, Share } from '../domain/tie';
import { noticeText } from '../domain/wording';

const wireKind: Readonly<Record<NoticeKind, WireKind>> = {
  friend_requested: WireKind.FRIEND_REQUESTED,
  friend_accepted: WireKind.FRIEND_ACCEPTED,
  friend_removed: WireKind.FRIEND_REMOVED,
  share_offered: WireKind.SHARE_OFFERED,
  share_accepted: WireKind.SHARE_ACCEPTED,
  share_given_up: WireKind.SHARE_GIVEN_UP,
  share_revoked: WireKind.SHARE_REVOKED,
};

/** What friends are told of a subuser; its system prompt is not among it. */
export interface SubuserFacts {
  readonly name: string;
  readonly description: string;
}

export interface NoticeParts {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly actor: Member;
  readonly recipient: Member;
  readonly share: Share | undefined;
  readonly subuser?: SubuserFacts;
}

/** A notice to the other side's agents: structured, and as a text. */
export function draftNotice({
  id,
  kind,
  actor,
  recipient,
  share,
  subuser,
}: NoticeParts): MessageDraft {
  const facts = {
    actorNametag: actor.nametag,
    subuserNametag: share?.subuserNametag ?? '',
    subuserName: subuser?.name ?? '',
    subuserDescription: subuser?.description ?? '',
  };
  return {
    id,
    lane: laneOf(actor.userId, recipient.userId),
    origin: originOf(actor),
    recipient: toForeground(recipient.userId),
    text: noticeText[kind](facts),
    senderUserId: actor.userId,
    notice: { kind: wireKind[kind], subuserId: share?.subuserId ?? '', ...facts },
  };
}

export function toForeground(userId: string): Recipient {
  return { userId, target: { $case: 'foreground', value: {} } };
}

/** What one user sends another is heard in the order it was accepted. */
export function laneOf(senderUserId: string, recipientUserId: string): string {
  return `${senderUserId}>${recipientUserId}`;
}

export function originOf({ nametag }: Member): string {
  return `friend:${nametag}`;
}
