import { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/errors';
import { consumeSystemMessages, subjectsOfShard, type ConsumerOptions } from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';
import type {
  DeliverSystemMessage,
  IncomingMessage,
  MessageTarget,
} from '../usecases/deliver-system-message';
import type { Undelivered } from '../usecases/keep-undelivered';

export interface SystemMessagesConsumer extends Pick<
  ConsumerOptions,
  'connection' | 'stream' | 'ackWaitMs'
> {
  readonly deliver: DeliverSystemMessage;
  readonly keepUndelivered: (undelivered: Undelivered) => Promise<void>;
  readonly kit: Pick<ServiceKit, 'log' | 'stop'>;
}

/** Hears everything that users' agents are to hear. Every replica takes its part of it. */
export function consumeMessages(parts: SystemMessagesConsumer): void {
  const { connection, stream, ackWaitMs, deliver, keepUndelivered, kit } = parts;
  const consumer = consumeSystemMessages({
    connection,
    stream,
    durable: 'agents',
    ...(ackWaitMs === undefined ? {} : { ackWaitMs }),
    filterSubjects: Array.from({ length: stream.shards }, (_, shard) =>
      subjectsOfShard(stream, shard),
    ),
    logger: kit.log,
    handle: (message) => deliver(toIncoming(message)),
    deadLetter: ({ id, message, payload, reason }) =>
      keepUndelivered({ id, message: message && toIncoming(message), payload, reason }),
  });
  kit.stop.add('quiesce', 'system messages', () => consumer.stop());
}

/** Reads a message that was put aside, for another try. */
export function readIncoming(payload: Uint8Array): IncomingMessage {
  const message = SystemMessage.decode(payload);
  if (message.id && message.recipient?.userId) return toIncoming(message);
  throw new AppError('FAILED_PRECONDITION', 'The message cannot be read');
}

function toIncoming(message: SystemMessage): IncomingMessage {
  const { id, recipient, text, origin, silent, hops, acceptedAt } = message;
  const { senderAgentId, senderUserId } = message;
  return {
    messageId: id,
    userId: recipient?.userId ?? '',
    target: toTarget(recipient),
    text,
    origin,
    silent,
    hops,
    sender: senderAgentId ? { agentId: senderAgentId, userId: senderUserId } : undefined,
    acceptedAt: acceptedAt ?? new Date(0),
  };
}

function toTarget(recipient: SystemMessage['recipient']): MessageTarget {
  const target = recipient?.target;
  if (target?.$case === 'agentId') return { kind: 'agent', agentId: target.value };
  return { kind: target?.$case === 'gateway' ? 'gateway' : 'foreground' };
}
