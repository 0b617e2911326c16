import type { TokenScope } from '@daycare/contracts/scopes';
import type { Trust } from '@daycare/api';
import type { Logger } from './logger';

/** Who makes a call, as proved by a credential; nothing else a caller claims is trusted. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | UserCaller
  | ({ readonly kind: 'client'; readonly name: string; readonly proof: Proof } & SecretHolder)
  | ({ readonly kind: 'admin'; readonly proof: Proof } & SecretHolder & SignedIn)
  | ({ readonly kind: 'service'; readonly service: string; readonly proof: Proof } & SecretHolder);

interface SecretHolder {
  /** Identifies the secret that was presented, or with which the token was requested. */
  readonly credentialId?: string;
}

interface SignedIn {
  /** Identifies the sign-in, or the personal access token, that the caller's token belongs to. */
  readonly sessionId?: string;
  /** What a personal access token is limited to; unset for a sign-in, which is not limited. */
  readonly scopes?: readonly TokenScope[];
}

/** What a caller presented: the long-lived secret itself, or a token issued for it. */
export type Proof = 'credential' | 'token';

/** A user or a user's agent, calling directly or through a service that acts for them. */
export interface UserCaller extends SignedIn {
  readonly kind: 'user';
  readonly userId: string;
  readonly agentId?: string;
  /** The owner, when the user is a subuser. */
  readonly parentUserId?: string;
  /** The number of agents in the chain that led to the call; unset when a person or a client made it. */
  readonly hops?: number;
  /** The trust of the turn that makes the call; unset when a person or a client made it. */
  readonly trust?: Trust;
  /** Whether the turn that makes the call has read something private. */
  readonly carriesPrivate?: true;
  /** The service that makes the call on the user's behalf. */
  readonly via?: string;
}

/** What a handler knows about the call besides the request. */
export interface CallContext {
  /** `/package.Service/Method`. */
  readonly method: string;
  readonly caller: Caller;
  /**
   * Where the call comes from: an IPv4 address or an IPv6 network. It is the address of the connection unless a trusted
   * proxy forwards another one.
   */
  readonly address: string;
  /** When the caller stops waiting, in epoch milliseconds; Infinity for a stream whose caller set no deadline. */
  readonly deadline: number;
  /** Aborted when the caller cancels the call or disconnects, or when the deadline passes. */
  readonly signal: AbortSignal;
  /** A logger whose lines carry the trace, the method and the user. */
  readonly log: Logger;
  /** The call's trace (W3C), for messages and calls that it triggers. */
  readonly traceparent: string;
  /** For long-lived streams: throws UNAUTHENTICATED once the caller's credential is no longer valid. */
  readonly recheck: () => Promise<void>;
  /** For streams whose requests count as calls: throws RATE_LIMITED when the caller makes too many. */
  readonly limit: () => void;
  /**
   * Resolves when the reader has taken everything that was sent on the stream, or when the call is over. For streams
   * whose next element is best computed as late as possible.
   */
  readonly flushed: () => Promise<void>;
}

/** The metadata of an incoming call. */
export interface CallHeaders {
  /** All values of a key; the key must be in lower case. */
  get(key: string): readonly (string | Buffer)[];
  /** The first value of every key. */
  getMap(): Readonly<Record<string, string | Buffer>>;
}

/** The part of a call that shows where it comes from. */
export interface CallOrigin {
  readonly metadata: CallHeaders;
  /** `address:port`. */
  getPeer(): string;
}

/** What all server calls have in common. */
export interface IncomingCall extends CallOrigin {
  getDeadline(): Date | number;
  on(event: 'cancelled', listener: () => void): unknown;
}

/**
 * Identifies the caller of a method, `/package.Service/Method`. Throws UNAUTHENTICATED if a credential is given but
 * invalid.
 */
export type Authenticate = (
  call: { readonly metadata: CallHeaders },
  method: string,
) => Caller | Promise<Caller>;
