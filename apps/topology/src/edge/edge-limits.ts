import type { Rate } from '../domain/token-bucket';

/** How much of everything the edge takes. */
export interface EdgeLimits {
  /** Of one request, however it is framed. */
  readonly maxBodyBytes: number;
  /** Requests and open WebSockets of one endpoint at a time. */
  readonly connectionsPerEndpoint: number;
  /** Of all visitors together. */
  readonly connections: number;
  /** Of one visitor, whatever is said over them. */
  readonly connectionsPerAddress: number;
  readonly perEndpoint: Rate;
  readonly perAddress: Rate;
  /** Of one webhook: each may cost the user a turn. */
  readonly perWebhook: Rate;
  /** Wrong passwords for one endpoint from one address. */
  readonly wrongPasswords: Rate;
  /** For the head of a request. */
  readonly headersTimeoutMs: number;
  /** For a whole request, its body included. */
  readonly requestTimeoutMs: number;
  /** For reaching a target. */
  readonly connectTimeoutMs: number;
  /** For the head of the target's answer, from when it has the whole request. */
  readonly responseTimeoutMs: number;
  /** Without a byte either way. */
  readonly idleTimeoutMs: number;
}

/** What an operator need not set. */
export const defaultLimits = {
  perWebhook: { perSecond: 1, burst: 30 },
  wrongPasswords: { perSecond: 0.1, burst: 10 },
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 600_000,
  connectTimeoutMs: 5_000,
  responseTimeoutMs: 60_000,
} satisfies Partial<EdgeLimits>;
