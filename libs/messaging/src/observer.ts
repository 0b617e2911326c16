import type { ErrorCode } from '@daycare/errors';

/** Told what happens, for metrics. Every method is optional and must neither throw nor block. */
export interface MessagingObserver {
  /** NATS has the message; `attempt` above 1 means that no receipt came for the earlier ones. */
  published?(facts: { readonly attempt: number }): void;
  publishFailed?(): void;
  /** A row left the outbox; the age is counted from its acceptance. */
  receipted?(facts: { readonly outcome: 'delivered' | 'dead'; readonly ageMs: number }): void;
  handled?(facts: { readonly ageMs: number; readonly deliveries: number }): void;
  retried?(facts: { readonly code: ErrorCode; readonly deliveries: number }): void;
  buried?(facts: { readonly code: ErrorCode }): void;
}
