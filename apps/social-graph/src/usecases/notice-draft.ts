import { Notice, NoticeKind as WireKind, type Recipient } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import { inboxService, type MessageDraft } from '@daycare/messaging';
import type { SubuserFacts } from '../domain/sharing';
import { closingIdOf, noticeIdOf } from '../domain/tie/notices';
import type { Member, Pair } from '../domain/tie/pair';
import type { Change, NoticeKind, Share } from '../domain/tie/tie';
import { noticeText } from '../domain/wording';

export interface NoticeSpec {
  readonly pair: Pair;
  /** The version of the tie that the change creates; each version has at most one notice besides a closing. */
  readonly version: number;
  readonly kind: NoticeKind;
  readonly actor: Member;
  readonly recipient: Member;
  readonly share: Share | undefined;
  readonly subuser?: SubuserFacts;
  readonly traceparent?: string | undefined;
}

/** Drafts a notice to the other side's agents, structured and as text. */
export function draftNotice({
  pair,
  version,
  kind,
  actor,
  recipient,
  share,
  subuser,
  traceparent,
}: NoticeSpec): MessageDraft {
  const facts = {
    actorNametag: actor.nametag,
    subuserNametag: share?.subuserNametag ?? '',
    subuserName: subuser?.name ?? '',
    subuserDescription: subuser?.description ?? '',
  };
  return {
    id: noticeIdOf(pair, version),
    lane: laneOf(actor.userId, recipient.userId),
    origin: originOf(actor),
    recipient: toForeground(recipient.userId),
    text: noticeText[kind](facts),
    senderUserId: actor.userId,
    tie: { id: pair.id, version, subuserId: '' },
    notice: Notice.create({
      kind: enumOf(WireKind, kind),
      subuserId: share?.subuserId ?? '',
      ...facts,
    }),
    traceparent,
  };
}

/**
 * Drafts a closing, which informs agent-runtime that messages allowed by earlier versions of the tie are no longer
 * allowed.
 */
export function draftClosing(
  pair: Pair,
  version: number,
  closes: NonNullable<Change['closes']>,
): MessageDraft {
  const subuserId = closes === 'tie' ? '' : closes.subuserId;
  return {
    id: closingIdOf(pair, version),
    lane: `${inboxService}>${pair.id}`,
    origin: 'system',
    recipient: {
      userId: pair.low.userId,
      target: { $case: 'service', value: inboxService },
    },
    text: '',
    notice: Notice.create({ kind: WireKind.TIE_CLOSED }),
    tie: { id: pair.id, version, subuserId },
  };
}

export function toForeground(userId: string): Recipient {
  return { userId, target: { $case: 'foreground', value: {} } };
}

/** There is one lane per sender and recipient; its messages arrive in the order in which they were accepted. */
export function laneOf(senderUserId: string, recipientUserId: string): string {
  return `${senderUserId}>${recipientUserId}`;
}

export function originOf({ nametag }: Member): string {
  return `friend:${nametag}`;
}
