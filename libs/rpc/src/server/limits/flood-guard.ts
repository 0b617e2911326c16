import type { ServerHttp2Session } from 'node:http2';
import { AppError } from '@daycare/api';
import type { Caller, CallOrigin } from '../../shared/call-context';
import type { Logger } from '../../shared/logger';

export interface FloodGuardOptions {
  /** How many calls may be in progress on a connection that is not slowed. */
  readonly maxCalls: number;
  /** How many streams an owner may have open: a slowed connection has room for them. */
  readonly maxStreamsPerOwner: number;
  readonly log: Logger;
  /** Connections from these addresses carry calls of many users. */
  readonly isProxy?: (address: string) => boolean;
  /** The minimum time for which a refusal on a slowed connection is held back. */
  readonly holdMs?: number;
  /** The time without a refusal after which a connection is no longer slowed. */
  readonly calmMs?: number;
}

/** Answers a refused call; `heldMs` is how long the answer was delayed. */
export type AnswerRefusal = (heldMs: number) => void;

/** An HTTP/2 session or an HTTP/1 socket. */
export type Connection = Pick<ServerHttp2Session, 'destroyed'> &
  Partial<Pick<ServerHttp2Session, 'settings' | 'closed'>>;

/** Where a call comes from. */
export interface ConnectionOrigin {
  /** Undefined if unknown; refusals are then answered at once. */
  readonly connection: Connection | undefined;
  /** The remote address. */
  readonly address: string;
}

interface Behaviour {
  /** The first owners whose calls came over the connection. */
  readonly owners: Set<string>;
  isProxy: boolean;
  isSlowed: boolean;
  /** The number of its refusals that are held back. */
  held: number;
  windowFromMs: number;
  refusedInWindow: number;
  refusedAtMs: number;
}

interface HeldRefusal {
  readonly behaviour: Behaviour;
  readonly answer: AnswerRefusal;
  readonly sinceMs: number;
  readonly timer: NodeJS.Timeout;
}

/** A well-behaved client pauses when it is refused; more refusals than this in one second are a flood. */
const maxRefusedPerSecond = 50;
/** Calls that a slowed connection may have in progress besides the streams of its owner. */
const spareCalls = 16;
/** The maximum number of refusals held back, in total and for one connection: no client can use up all slots. */
const maxHeld = 1_000;
const maxHeldPerConnection = 64;
/** A client has one user, perhaps with a subuser; a connection with calls of more users belongs to a proxy. */
const minOwnersOfProxy = 3;

/**
 * Slows down a client that floods a service. A connection on which many calls were refused may have few calls in
 * progress, and its refusals are delayed. The client waits for them, which bounds the number of calls it sends. Other
 * connections are not affected, even those from the same address, and neither are those of proxies.
 */
export class FloodGuard {
  readonly #options: Required<FloodGuardOptions>;
  readonly #connections = new WeakMap<Connection, Behaviour>();
  readonly #maxSlowedCalls: number;
  readonly #held = new Set<HeldRefusal>();
  #isStopping = false;

  constructor(options: FloodGuardOptions) {
    this.#options = { isProxy: () => false, holdMs: 1_000, calmMs: 10_000, ...options };
    this.#maxSlowedCalls = Math.min(options.maxStreamsPerOwner + spareCalls, options.maxCalls);
  }

  /** Answers all held refusals, and further ones at once: for a server that is stopping. */
  answerHeld(): void {
    this.#isStopping = true;
    for (const held of this.#held) this.#answer(held);
  }

  /** Call it for each call whose caller is known. */
  noteCaller(origin: ConnectionOrigin, caller: Caller): void {
    const { connection } = origin;
    if (!connection || caller.kind === 'anonymous') return;
    const behaviour = this.#behaviourOf(connection, origin.address);
    if (behaviour.isProxy) return;
    behaviour.owners.add(ownerOf(caller));
    if (!isTrusted(caller) && behaviour.owners.size < minOwnersOfProxy) return;
    behaviour.isProxy = true;
    if (behaviour.isSlowed) this.#release(connection, behaviour);
  }

  /** Answers a call that exceeds a limit: at once, or late on a slowed connection, but well before its deadline. */
  refuse({ connection, address }: ConnectionOrigin, deadline: number, answer: AnswerRefusal): void {
    // Random, so that the client does not send all its next calls at the same time.
    const holdMs = this.#options.holdMs * (1 + Math.random());
    const slowed = connection && this.#countRefusal(connection, address);
    const hasTime = deadline - Date.now() > 2 * holdMs;
    // A client that cancels its calls must not use up the slots of other clients.
    const hasPlace =
      this.#held.size < maxHeld &&
      slowed &&
      slowed.held < Math.min(this.#maxSlowedCalls, maxHeldPerConnection);
    if (!hasTime || !hasPlace || this.#isStopping) return answer(0);
    slowed.held += 1;
    const held: HeldRefusal = {
      behaviour: slowed,
      answer,
      sinceMs: performance.now(),
      timer: setTimeout(() => this.#answer(held), holdMs),
    };
    this.#held.add(held);
  }

  #answer(held: HeldRefusal): void {
    clearTimeout(held.timer);
    this.#held.delete(held);
    held.behaviour.held -= 1;
    held.answer(performance.now() - held.sinceMs);
  }

  /** Counts a refusal; returns what is known about the connection if it is slowed, otherwise undefined. */
  #countRefusal(connection: Connection, address: string): Behaviour | undefined {
    const behaviour = this.#behaviourOf(connection, address);
    if (behaviour.isProxy) return undefined;
    const now = performance.now();
    if (now - behaviour.windowFromMs >= 1_000) {
      behaviour.windowFromMs = now;
      behaviour.refusedInWindow = 0;
    }
    behaviour.refusedInWindow += 1;
    behaviour.refusedAtMs = now;
    if (!behaviour.isSlowed && behaviour.refusedInWindow > maxRefusedPerSecond)
      this.#slow(connection, behaviour);
    return behaviour.isSlowed ? behaviour : undefined;
  }

  #slow(connection: Connection, behaviour: Behaviour): void {
    const { log, calmMs } = this.#options;
    log.info({}, 'a connection is flooding this service; slowing the connection down');
    behaviour.isSlowed = true;
    setMaxCalls(connection, this.#maxSlowedCalls);
    this.#releaseAfter(calmMs, connection, behaviour);
  }

  #releaseAfter(ms: number, connection: Connection, behaviour: Behaviour): void {
    const timer = setTimeout(() => {
      const leftMs = behaviour.refusedAtMs + this.#options.calmMs - performance.now();
      if (connection.destroyed || !behaviour.isSlowed) return;
      if (leftMs > 0) this.#releaseAfter(leftMs, connection, behaviour);
      else this.#release(connection, behaviour);
    }, ms);
    timer.unref();
  }

  #release(connection: Connection, behaviour: Behaviour): void {
    behaviour.isSlowed = false;
    setMaxCalls(connection, this.#options.maxCalls);
  }

  #behaviourOf(connection: Connection, address: string): Behaviour {
    const known = this.#connections.get(connection);
    if (known) return known;
    const behaviour = {
      owners: new Set<string>(),
      isProxy: this.#options.isProxy(address),
      isSlowed: false,
      held: 0,
      windowFromMs: -Infinity,
      refusedInWindow: 0,
      refusedAtMs: -Infinity,
    };
    this.#connections.set(connection, behaviour);
    return behaviour;
  }
}

/** The client delays further calls; if it still sends any, they are refused before they reach the service. */
function setMaxCalls(connection: Connection, maxConcurrentStreams: number): void {
  if (!connection.destroyed && !connection.closed) connection.settings?.({ maxConcurrentStreams });
}

/** Services and operators are not limited. */
function isTrusted(caller: Caller): boolean {
  if (caller.kind === 'user') return caller.via !== undefined;
  return caller.kind === 'service' || caller.kind === 'admin';
}

function ownerOf(caller: Caller): string {
  if (caller.kind === 'user') return `user:${caller.parentUserId ?? caller.userId}`;
  return caller.kind === 'client' ? `client:${caller.name}` : caller.kind;
}

/** grpc-js offers no other access to the connection of a call. If its internals change, no connection is slowed. */
export function connectionOf(call: CallOrigin): ConnectionOrigin {
  const { call: inner } = call as { call?: { stream?: { session?: Connection | null } } };
  return {
    connection: inner?.stream?.session ?? undefined,
    // Used for the first call of a connection only.
    get address() {
      return call.getPeer().replace(/:\d+$/, '');
    },
  };
}

/** Whether the caller caused the refusal itself: other refusals never slow its connection. */
export function isLimit({ code }: AppError): boolean {
  return code === 'RATE_LIMITED' || code === 'QUOTA_EXCEEDED';
}

/** A refusal whose retry hint counts from the time of the answer. */
export function waitedFor(refusal: AppError, heldMs: number): AppError {
  const { code, message, details } = refusal;
  if (heldMs === 0 || details.retryAfterMs === undefined) return refusal;
  const retryAfterMs = Math.max(details.retryAfterMs - heldMs, 0);
  return new AppError(code, message, { ...details, retryAfterMs });
}
