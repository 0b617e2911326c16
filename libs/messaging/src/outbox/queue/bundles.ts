import { randomUUID } from 'node:crypto';
import { MessageBundle } from '@daycare/contracts/common';
import type { MessageGroup } from '@daycare/contracts/message-routes';
import { groupOf } from '../../nats/system-stream';
import { maxPayloadBytes } from '../rows/message-draft';
import type { OutgoingMessage } from '../rows/message-source';

/** Messages that are published together; all have the same group. */
export interface Bundle {
  /** Part of the subject; NATS refuses a second copy on the same subject while it has the first. */
  readonly id: string;
  readonly group: MessageGroup;
  readonly messages: readonly OutgoingMessage[];
}

const maxMessages = 256;

/** Sorts messages by their group; within a group they keep their order. */
export function byGroup(
  messages: readonly OutgoingMessage[],
): ReadonlyMap<MessageGroup, readonly OutgoingMessage[]> {
  const groups = new Map<MessageGroup, OutgoingMessage[]>();
  for (const message of messages) {
    const group = groupOf(message);
    const groupMessages = groups.get(group);
    if (groupMessages) groupMessages.push(message);
    else groups.set(group, [message]);
  }
  return groups;
}

/** Returns a bundle of as many of the first messages as NATS accepts together; pass at least one message. */
export function firstBundle(group: MessageGroup, messages: readonly OutgoingMessage[]): Bundle {
  let count = 0;
  let bytes = 0;
  for (const message of messages) {
    bytes += bytesOf(message);
    if (count === maxMessages || (count > 0 && bytes > maxPayloadBytes)) break;
    count += 1;
  }
  return { id: randomUUID(), group, messages: messages.slice(0, count) };
}

/** Returns a bundle of one message, under the message's own id. */
export function singleBundle(message: OutgoingMessage): Bundle {
  return { id: message.id, group: groupOf(message), messages: [message] };
}

export function bytesOf({ payload, predecessors }: OutgoingMessage): number {
  return payload.byteLength + 256 + 64 * predecessors.length;
}

export function encodeBundle({ messages }: Pick<Bundle, 'messages'>): Uint8Array {
  return MessageBundle.encode({
    messages: messages.map(({ id, payload, predecessors, traceparent = '' }) => ({
      id,
      message: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength),
      predecessors: [...predecessors],
      traceparent,
    })),
  }).finish();
}
