import { Notice, NoticeKind } from '@daycare/contracts/common';
import type { MessageDraft } from '@daycare/messaging';
import { noticeLane, type UserNotice } from '../domain/user-notice';

/** Converts a notice into a message for the outbox. */
export function toDraft({ id, service, userId, name }: UserNotice): MessageDraft {
  return {
    id,
    lane: noticeLane(service, userId),
    origin: 'system',
    recipient: { userId, target: { $case: 'service', value: service } },
    text: '',
    notice: Notice.create({
      kind: name === undefined ? NoticeKind.USER_DELETED : NoticeKind.USER_RENAMED,
      subuserName: name ?? '',
    }),
  };
}
