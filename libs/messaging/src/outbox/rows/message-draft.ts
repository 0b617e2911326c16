import { SystemMessage, type TieRef } from '@daycare/contracts/common';
import { AppError } from '@daycare/api';
import { Binary } from 'mongodb';
import type { OpenRow, RowTie } from './outbox-row';
import { budgetKeyOf, type BudgetLimits } from './budgets';
import { isMessageGroup } from '@daycare/contracts/message-routes';
import { isSubjectToken } from '../../nats/system-stream';

type Required = 'id' | 'lane' | 'origin' | 'recipient' | 'text';
type FilledIn = 'source' | 'acceptedAt';

/**
 * A message as its sender writes it; the outbox adds its source and the time of acceptance. The id must be new, unless
 * the sender is retrying to have a message accepted.
 */
export type MessageDraft = Readonly<
  { [field in Required]: NonNullable<SystemMessage[field]> } & Partial<
    Omit<SystemMessage, Required | FilledIn>
  >
> & {
  /** Messages in the lane that are not in the outbox and have to be handled before this one. */
  readonly predecessors?: readonly string[];
  /** The trace of the call that sends the message (W3C); its consumer continues it. */
  readonly traceparent?: string | undefined;
  /** How much the sender may send to the other side of the tie; without a tie there is no limit. */
  readonly limits?: BudgetLimits | undefined;
};

/** A row that has no position in its lane and no number in its budget yet. */
export type UnplacedRow = Omit<OpenRow, 'seq' | 'budget'> & {
  /** The budget that the message counts towards; without one there is no limit. */
  readonly budgetSpec?: { readonly key: string; readonly limits: BudgetLimits };
};

/** NATS accepts one MiB by default; this leaves space for headers and what a bundle adds. */
export const maxPayloadBytes = 768 * 1024;

/** Encodes a draft; throws INVALID_ARGUMENT for one that could never be delivered. */
export function toRow(draft: MessageDraft, source: string, acceptedAt: Date): UnplacedRow {
  const { predecessors = [], traceparent, recipient, tie, limits } = draft;
  const message = SystemMessage.create({ ...draft, source, acceptedAt });
  const payload = SystemMessage.encode(message).finish();
  assertDeliverable(message, payload.byteLength);
  const { target } = recipient;
  const senderOwnerId = message.senderOwnerId || message.senderUserId;
  return {
    _id: message.id,
    lane: message.lane,
    open: true,
    recipientUserId: recipient.userId,
    ...(target?.$case === 'service' ? { recipientService: target.value } : {}),
    senderUserId: message.senderUserId,
    payload: new Binary(payload),
    ...(traceparent ? { traceparent } : {}),
    ...(tie ? { tie: toRowTie(tie) } : {}),
    ...(tie && limits ? { budgetSpec: { key: budgetKeyOf(tie.id, senderOwnerId), limits } } : {}),
    predecessors,
    acceptedAt,
    publications: 0,
    publishedAt: acceptedAt,
    nextAttemptAt: acceptedAt,
  };
}

function toRowTie({ id, version, subuserId }: TieRef): RowTie {
  return { id, version, ...(subuserId === '' ? {} : { subuserId }) };
}

function assertDeliverable(message: SystemMessage, payloadBytes: number): void {
  const problem =
    (!isSubjectToken(message.id) && 'id must be 1 to 128 letters, digits, "-" or "_"') ||
    (message.lane === '' && 'lane is required') ||
    (!message.recipient?.userId && 'recipient is required') ||
    (!isReachable(message) && 'no service consumes messages for this recipient') ||
    (payloadBytes > maxPayloadBytes && 'message is too large');
  if (problem) throw new AppError('INVALID_ARGUMENT', problem);
}

function isReachable({ recipient }: SystemMessage): boolean {
  const target = recipient?.target;
  return target?.$case !== 'service' || isMessageGroup(target.value);
}
