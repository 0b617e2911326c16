import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from './logger';

/** Who makes a call. Nobody is believed to be anything but what a credential proves. */
export interface Caller {
  readonly kind: 'anonymous';
}

/** What a handler knows about the call it answers. */
export interface CallContext {
  /** `/package.Service/Method`. */
  readonly method: string;
  readonly caller: Caller;
  /** When the answer is of no more use, in epoch milliseconds; Infinity for open-ended streams. */
  readonly deadline: number;
  /** Aborted when the caller hangs up or the deadline passes. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Finds out who calls. Throws UNAUTHENTICATED when a credential is given but does not hold. */
export type Authenticate = (call: {
  readonly method: string;
  readonly metadata: Metadata;
}) => Caller | Promise<Caller>;
