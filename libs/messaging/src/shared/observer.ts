import type { ErrorCode } from '@daycare/api';

/** Is notified of what happens to messages, for metrics. Its methods must neither throw nor block. */
export interface MessagingObserver {
  /** NATS has the message; `attempt` above 1 means that earlier publications produced no receipt. */
  published?(facts: { readonly attempt: number }): void;
  publishFailed?(): void;
  /** A receipt was stored `ageMs` after its message was accepted. */
  receiptStored?(facts: { readonly outcome: 'delivered' | 'dead'; readonly ageMs: number }): void;
  handled?(): void;
  /** Handling failed and will be retried. */
  retried?(facts: { readonly code: ErrorCode }): void;
  /** The message became a dead letter. */
  buried?(facts: { readonly code: ErrorCode }): void;
}
