import type { RateLimit } from '@daycare/rpc';

/** The limits of the edge; each replica counts separately. */
export interface EdgeLimits {
  /** Per request, whether or not the body's length is declared. */
  readonly maxBodyBytes: number;
  /** Concurrent requests and WebSockets per endpoint. */
  readonly connectionsPerEndpoint: number;
  /** Open connections in total. */
  readonly connections: number;
  /** Per address: open connections, idle ones included, or requests in progress that a trusted proxy forwards. */
  readonly connectionsPerAddress: number;
  readonly perEndpoint: RateLimit;
  readonly perAddress: RateLimit;
  /** Lower than for other endpoints, because each post may cost the user an agent turn. */
  readonly perWebhook: RateLimit;
  /** For the body of a post whose signature cannot be checked before the body has arrived. */
  readonly unsignedBodyTimeoutMs: number;
  /** Wrong passwords per endpoint and address. */
  readonly wrongPasswords: RateLimit;
  /** For the headers of a request. */
  readonly headersTimeoutMs: number;
  /** For a whole request, its body included. */
  readonly requestTimeoutMs: number;
  /** For connecting to a target. */
  readonly connectTimeoutMs: number;
  /** For the headers of the target's response, from when the target has received the whole request. */
  readonly responseTimeoutMs: number;
  /** How long a connection may stay open without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

/** Limits that operators cannot configure. */
export const fixedLimits = {
  perWebhook: { perSecond: 1, burst: 30 },
  wrongPasswords: { perSecond: 0.1, burst: 10 },
  unsignedBodyTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 600_000,
  connectTimeoutMs: 5_000,
  responseTimeoutMs: 60_000,
} satisfies Partial<EdgeLimits>;
