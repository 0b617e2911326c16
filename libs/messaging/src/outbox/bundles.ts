import { MessageBundle } from '@daycare/contracts/common';
import type { MessageGroup } from '@daycare/contracts/message-routes';
import { groupOf } from '../nats/system-stream';
import { maxPayloadBytes } from './rows/message-draft';
import type { OutgoingMessage } from './message-source';

/** Messages that are published together; all have the same group. */
export interface Bundle {
  readonly group: MessageGroup;
  readonly messages: readonly OutgoingMessage[];
}

const maxMessages = 256;

/** Puts messages for the same recipients together, in their order, within what NATS accepts. */
export function toBundles(messages: readonly OutgoingMessage[]): readonly Bundle[] {
  const bundles: { group: MessageGroup; messages: OutgoingMessage[]; bytes: number }[] = [];
  const last = new Map<MessageGroup, (typeof bundles)[number]>();
  for (const message of messages) {
    const group = groupOf(message);
    const bytes = bytesOf(message);
    const open = last.get(group);
    if (open && open.messages.length < maxMessages && open.bytes + bytes <= maxPayloadBytes) {
      open.messages.push(message);
      open.bytes += bytes;
    } else {
      const bundle = { group, messages: [message], bytes };
      bundles.push(bundle);
      last.set(group, bundle);
    }
  }
  return bundles;
}

export function bytesOf({ payload, predecessors }: OutgoingMessage): number {
  return payload.byteLength + 256 + 64 * predecessors.length;
}

export function encodeBundle({ messages }: Bundle): Uint8Array {
  return MessageBundle.encode({
    messages: messages.map(({ id, payload, predecessors, traceparent = '' }) => ({
      id,
      message: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength),
      predecessors: [...predecessors],
      traceparent,
    })),
  }).finish();
}
