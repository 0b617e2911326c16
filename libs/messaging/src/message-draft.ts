import { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/errors';
import { Binary } from 'mongodb';
import type { OutboxRow } from './outbox-row';
import { isSubjectToken } from './system-stream';
import { activeTraceparent } from './trace';

type Required = 'id' | 'lane' | 'origin' | 'recipient' | 'text';
type FilledIn = 'source' | 'acceptedAt';

/**
 * A message as a sender writes it; the outbox adds source and time of acceptance. The id must be new,
 * or that of a message whose acceptance is being retried.
 */
export type MessageDraft = Readonly<
  { [field in Required]: NonNullable<SystemMessage[field]> } & Partial<
    Omit<SystemMessage, Required | FilledIn>
  >
>;

export type UnplacedRow = Omit<OutboxRow, 'seq'>;

/** NATS takes one MiB unless told otherwise; this leaves room for headers. */
const maxPayloadBytes = 768 * 1024;

/** Encodes a draft; throws INVALID_ARGUMENT for one that could never be delivered. */
export function toRow(draft: MessageDraft, source: string, acceptedAt: Date): UnplacedRow {
  const message = SystemMessage.create({ ...draft, source, acceptedAt });
  const payload = SystemMessage.encode(message).finish();
  const traceparent = activeTraceparent();
  refuseUndeliverable(message, payload.byteLength);
  const { target } = draft.recipient;
  return {
    _id: message.id,
    lane: message.lane,
    recipientUserId: draft.recipient.userId,
    ...(target?.$case === 'service' ? { recipientService: target.value } : {}),
    senderUserId: message.senderUserId,
    payload: new Binary(payload),
    ...(traceparent ? { traceparent } : {}),
    acceptedAt,
    publications: 0,
    nextAttemptAt: acceptedAt,
  };
}

function refuseUndeliverable(message: SystemMessage, payloadBytes: number): void {
  const wrong =
    (!isSubjectToken(message.id) && 'id must be letters, digits, "-" or "_"') ||
    (message.lane === '' && 'lane is required') ||
    (!message.recipient?.userId && 'recipient is required') ||
    (payloadBytes > maxPayloadBytes && 'message is too large');
  if (wrong) throw new AppError('INVALID_ARGUMENT', wrong);
}
