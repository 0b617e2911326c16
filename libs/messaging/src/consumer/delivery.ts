import { MessageBundle, SystemMessage, type BundledMessage } from '@daycare/contracts/common';
import type { JsMsg } from 'nats';
import { senderIn } from '../nats/system-stream';

/** A message as received from the stream. */
export interface Delivery {
  /** Known even when the message cannot be decoded; empty if missing. */
  readonly id: string;
  /** The service that sent the message and to which the receipt goes. */
  readonly source: string;
  readonly traceparent: string | undefined;
  readonly predecessors: readonly string[];
  /** How many times NATS has delivered the message, including this time. */
  readonly deliveries: number;
  readonly payload: Uint8Array;
  /** Undefined when the payload is not a message with this id and a recipient. */
  readonly message: SystemMessage | undefined;
}

/** Reads a bundle's messages. Never throws: a bundle that cannot be decoded becomes one delivery without a message. */
export function readDeliveries(incoming: JsMsg): readonly Delivery[] {
  const source = senderIn(incoming.subject);
  const bundled = decodeBundle(incoming.data);
  if (bundled) return bundled.map((message) => toDelivery(message, source, incoming));
  return [
    {
      // The id of a message that was published alone.
      id: incoming.headers?.get('Nats-Msg-Id') ?? '',
      source,
      traceparent: undefined,
      predecessors: [],
      deliveries: incoming.info.deliveryCount,
      payload: incoming.data,
      message: undefined,
    },
  ];
}

function toDelivery(
  { id, message: payload, predecessors, traceparent }: BundledMessage,
  source: string,
  incoming: JsMsg,
): Delivery {
  return {
    id,
    source,
    traceparent: traceparent === '' ? undefined : traceparent,
    predecessors,
    deliveries: incoming.info.deliveryCount,
    payload,
    message: decodeMessage(payload, id),
  };
}

function decodeBundle(payload: Uint8Array): readonly BundledMessage[] | undefined {
  try {
    const { messages } = MessageBundle.decode(payload);
    return messages.length > 0 ? messages : undefined;
  } catch {
    return undefined;
  }
}

function decodeMessage(payload: Uint8Array, id: string): SystemMessage | undefined {
  try {
    const message = SystemMessage.decode(payload);
    const isComplete = id !== '' && message.id === id && message.recipient?.userId;
    return isComplete ? message : undefined;
  } catch {
    return undefined;
  }
}
