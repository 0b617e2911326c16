import { SystemMessage } from '@daycare/contracts/common';
import type { JsMsg } from 'nats';
import { headerNames } from './message-headers';

/** A message as it came off the stream. */
export interface Delivery {
  /** From the header, so it is known even when the payload cannot be read; empty if there is none. */
  readonly id: string;
  readonly source: string;
  readonly traceparent: string | undefined;
  /** How often NATS has delivered it, this time included. */
  readonly deliveries: number;
  readonly payload: Uint8Array;
  /** Undefined when the payload is not a message with this id. */
  readonly message: SystemMessage | undefined;
}

/** Never throws: what cannot be read is a delivery without a message. */
export function readDelivery(incoming: JsMsg): Delivery {
  const header = (name: string) => incoming.headers?.get(name) ?? '';
  const [id, traceparent] = [header(headerNames.id), header(headerNames.traceparent)];
  return {
    id,
    source: header(headerNames.source),
    traceparent: traceparent === '' ? undefined : traceparent,
    deliveries: incoming.info.deliveryCount,
    payload: incoming.data,
    message: decode(incoming.data, id),
  };
}

function decode(payload: Uint8Array, id: string): SystemMessage | undefined {
  try {
    const message = SystemMessage.decode(payload);
    const isWhole = id !== '' && message.id === id && message.recipient?.userId;
    return isWhole ? message : undefined;
  } catch {
    return undefined;
  }
}
