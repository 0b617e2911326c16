import { FieldChecks, notFound } from '@daycare/errors';
import type { MessageStatus, OutboxStore } from '@daycare/messaging';

export type KnownMessageStatus = Exclude<MessageStatus, { state: 'unknown' }>;

/** Tells the sender of a message how far it has come, and nobody else that it exists. */
export function makeGetMessageStatus({ outbox }: { readonly outbox: OutboxStore }) {
  return async (callerId: string, messageId: string): Promise<KnownMessageStatus> => {
    new FieldChecks().id(messageId, 'message_id').done();
    const status = await outbox.status(messageId);
    if (status.state === 'unknown' || status.senderUserId !== callerId) throw notFound('Message');
    return status;
  };
}
