import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from './logger';

/** Who makes a call. Nobody is believed to be anything but what a credential proves. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | UserCaller
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'admin'; readonly proof: Proof }
  | { readonly kind: 'service'; readonly service: string; readonly proof: Proof };

/** What somebody showed: the long-lived secret itself, or a token that was given for it. */
export type Proof = 'credential' | 'token';

/** A user, or an agent of one, directly or through a service that acts for it. */
export interface UserCaller {
  readonly kind: 'user';
  readonly userId: string;
  readonly agentId?: string;
  /** The owner, when the user is a subuser. */
  readonly parentUserId?: string;
  /** How many agents in a row have led to the call; unset when a person or client made it. */
  readonly hops?: number;
  /** The service that made the call for the user. */
  readonly via?: string;
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
  /** For calls that last: throws UNAUTHENTICATED once the caller's credential no longer holds. */
  readonly recheck: () => Promise<void>;
  /**
   * Resolves when nothing that was sent on the stream waits for its reader any more, or the call is
   * over. For streams whose next element is best made when it can be taken.
   */
  readonly flushed: () => Promise<void>;
}

/** Finds out who calls. Throws UNAUTHENTICATED when a credential is given but does not hold. */
export type Authenticate = (call: {
  readonly method: string;
  readonly metadata: Metadata;
}) => Caller | Promise<Caller>;
