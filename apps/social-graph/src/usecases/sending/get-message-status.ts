import { FieldChecks, notFound } from '@daycare/api';
import type { MessageStatus, OutboxStore } from '@daycare/messaging';

export type KnownMessageStatus = Exclude<MessageStatus, { state: 'unknown' }>;

/** Returns a message's delivery status to its sender; for anyone else, the message does not exist. */
export function makeGetMessageStatus({ outbox }: { readonly outbox: OutboxStore }) {
  return async (callerId: string, messageId: string): Promise<KnownMessageStatus> => {
    new FieldChecks().id(messageId, 'message_id').done();
    const status = await outbox.status(messageId);
    if (status.state === 'unknown' || status.senderUserId !== callerId) throw notFound('message');
    return status;
  };
}
