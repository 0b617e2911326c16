/** Headers of a published message, readable even when its payload is not. */
export const headerNames = {
  id: 'Nats-Msg-Id',
  /** The service the receipt goes to. */
  source: 'Daycare-Source',
  traceparent: 'traceparent',
} as const;
