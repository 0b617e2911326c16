/** Headers of what is published, readable even when the payload is not. */
export const headerNames = {
  /** The message's id, when it was published alone. */
  id: 'Nats-Msg-Id',
  /** The service the receipts go to. */
  source: 'Daycare-Source',
} as const;
