import { NoticeKind, SystemMessage, Trust } from '@daycare/contracts/common';
import { findWord } from '@daycare/contracts/enum-words';
import { AppError, type Trust as TrustLevel } from '@daycare/api';
import {
  consumeSystemMessages,
  isSampled,
  type BatchHandler,
  type ConsumerOptions,
  type ReceivedMessage,
} from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';
import { itemOf, type IncomingMessage, type MessageTarget } from '../domain/inbox-item';
import type {
  DeliverSystemMessages,
  RedeliverSystemMessage,
} from '../usecases/delivery/deliver-system-messages';
import type { Delivery, DeliveryPlan } from '../usecases/delivery/plan-deliveries';
import { tieOf } from './on-closing';
import type { Undelivered } from '../usecases/delivery/store-undelivered';

export interface SystemMessageConsumerDeps extends Pick<
  ConsumerOptions,
  'connection' | 'stream' | 'ackWaitMs'
> {
  readonly deliver: DeliverSystemMessages;
  readonly storeUndelivered: (undelivered: Undelivered) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'metrics' | 'stop'>;
}

/** Consumes the system messages of all users; each replica takes some of them. */
export function consumeMessages(deps: SystemMessageConsumerDeps): void {
  const { connection, stream, ackWaitMs, deliver, storeUndelivered, kit } = deps;
  const handler: BatchHandler<DeliveryPlan> = {
    prepare: (received) => deliver.prepare(received.map(toDelivery)),
    store: (plans) => deliver.store(plans),
    findHandled: (predecessors) => deliver.findHandled(predecessors),
  };
  const consumer = consumeSystemMessages({
    connection,
    stream,
    group: 'agents',
    ...(ackWaitMs === undefined ? {} : { ackWaitMs }),
    logger: kit.log,
    observer: kit.metrics.messaging,
    handler,
    deadLetter: ({ id, message, payload, reason }) =>
      storeUndelivered({ id, message: message && toIncoming(message), payload, reason }),
  });
  kit.stop.add('quiesce', 'system messages', () => consumer.stop());
}

/** Retries the delivery of a stored payload; rejects when it is unreadable or still undeliverable. */
export async function redeliverPayload(
  payload: Uint8Array,
  redeliver: RedeliverSystemMessage,
): Promise<void> {
  const message = SystemMessage.decode(payload);
  if (!message.id || !message.recipient?.userId)
    throw new AppError('FAILED_PRECONDITION', 'The message cannot be decoded');
  await redeliver(toDelivery({ message, deliveries: 1 }));
}

function toDelivery({
  message,
  deliveries,
  traceparent,
}: Pick<ReceivedMessage, 'message' | 'deliveries'> &
  Partial<Pick<ReceivedMessage, 'traceparent'>>): Delivery {
  const trace = isSampled(traceparent) && traceparent ? { traceparent } : {};
  const addressed = { message: { ...toIncoming(message), ...trace }, target: targetOf(message) };
  return { ...addressed, tie: tieOf(message), isRedelivery: deliveries > 1 };
}

function toIncoming(message: SystemMessage): IncomingMessage {
  const draft = { ...message, messageId: message.id, trust: trustOf(message) };
  const item = itemOf(message.recipient?.userId ?? '', draft, message.acceptedAt ?? new Date(0));
  const isFriendRequest = message.notice?.kind === NoticeKind.FRIEND_REQUESTED;
  return isFriendRequest ? { ...item, fromStranger: true } : item;
}

/** A trust level that this version does not know becomes the lowest one. */
function trustOf({ trust }: SystemMessage): TrustLevel | undefined {
  return trust === Trust.UNSPECIFIED ? undefined : (findWord(Trust, trust) ?? 'outside');
}

function targetOf({ recipient }: SystemMessage): MessageTarget {
  const target = recipient?.target;
  if (target?.$case === 'agentId') return { kind: 'agent', agentId: target.value };
  return { kind: target?.$case === 'gateway' ? 'gateway' : 'foreground' };
}
