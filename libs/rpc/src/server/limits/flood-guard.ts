import type { ServerHttp2Session } from 'node:http2';
import { AppError } from '@daycare/api';
import type { Caller, CallOrigin } from '../../shared/call-context';
import type { Logger } from '../../shared/logger';

export interface FloodGuardOptions {
  /** How many calls may be in progress on a connection that is not slowed. */
  readonly maxCalls: number;
  /** How many streams an owner may have open; a slowed connection has room for them, up to `maxCalls`. */
  readonly maxStreamsPerOwner: number;
  readonly log: Logger;
  /** Reports whether an address belongs to a proxy, whose connections carry many users' calls. */
  readonly isProxy?: (address: string) => boolean;
  /** The minimum time for which a refusal on a slowed connection is held back. */
  readonly holdMs?: number;
  /** The time without a refusal after which a connection is no longer slowed. */
  readonly calmMs?: number;
}

/** Sends a refusal to the caller; `heldMs` is how long it was held back. */
export type SendRefusal = (heldMs: number) => void;

/** An HTTP/2 session or an HTTP/1 socket. */
export type Connection = Pick<ServerHttp2Session, 'destroyed'> &
  Partial<Pick<ServerHttp2Session, 'settings' | 'closed'>>;

/** Where a call comes from. */
export interface ConnectionOrigin {
  /** Undefined if unknown; refusals are then sent immediately. */
  readonly connection: Connection | undefined;
  /** The remote address. */
  readonly address: string;
}

interface Behaviour {
  /** The first owners whose calls came over the connection. */
  readonly owners: Set<string>;
  isProxy: boolean;
  isSlowed: boolean;
  /** How many refusals are being held back on the connection. */
  heldCount: number;
  windowStartMs: number;
  refusedInWindow: number;
  lastRefusedAtMs: number;
}

interface HeldRefusal {
  readonly behaviour: Behaviour;
  readonly send: SendRefusal;
  readonly sinceMs: number;
  readonly timer: NodeJS.Timeout;
}

/** A well-behaved client pauses when it is refused; more refusals than this in one second are a flood. */
const maxRefusedPerSecond = 50;
/** Calls that a slowed connection may have in progress besides its owner's streams. */
const spareCalls = 16;
/**
 * How many refusals may be held back, in total and per connection. The second limit prevents a client from using up all
 * slots.
 */
const maxHeld = 1_000;
const maxHeldPerConnection = 64;
/** A client calls for one owner, perhaps two; a connection with calls from this many owners belongs to a proxy. */
const minOwnersOfProxy = 3;

/**
 * Slows down a client that floods a service. A connection on which many calls were refused may have only a few calls in
 * progress, and its refusals are delayed. Because the client has to wait for them, its call rate is bounded. Other
 * connections, even from the same address, and proxies' connections are not affected.
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

  /** Sends all refusals held back, and further ones immediately from now on; for a server that is stopping. */
  sendHeldRefusals(): void {
    this.#isStopping = true;
    for (const held of this.#held) this.#send(held);
  }

  /** Records who is calling over a connection; must be called for each call whose caller is known. */
  noteCaller(origin: ConnectionOrigin, caller: Caller): void {
    const { connection } = origin;
    if (!connection || caller.kind === 'anonymous') return;
    const behaviour = this.#behaviourOf(connection, origin);
    if (behaviour.isProxy) return;
    behaviour.owners.add(ownerOf(caller));
    if (!isTrusted(caller) && behaviour.owners.size < minOwnersOfProxy) return;
    behaviour.isProxy = true;
    if (behaviour.isSlowed) this.#release(connection, behaviour);
  }

  /**
   * Refuses a call that exceeds a limit. On a slowed connection, the refusal is delayed, provided that the call's
   * deadline leaves time and not too many refusals are being held back; otherwise it is sent immediately.
   */
  refuse(origin: ConnectionOrigin, deadline: number, send: SendRefusal): void {
    const { connection } = origin;
    // Random, so that the client does not send all its next calls at the same time.
    const holdMs = this.#options.holdMs * (1 + Math.random());
    const slowed = connection && this.#countRefusal(connection, origin);
    const hasTime = deadline - Date.now() > 2 * holdMs;
    // A cancelled call keeps its slot until its refusal is due, so only the limit per connection leaves slots for other
    // clients.
    const hasSlot =
      this.#held.size < maxHeld &&
      slowed &&
      slowed.heldCount < Math.min(this.#maxSlowedCalls, maxHeldPerConnection);
    if (!hasTime || !hasSlot || this.#isStopping) return send(0);
    slowed.heldCount += 1;
    const held: HeldRefusal = {
      behaviour: slowed,
      send,
      sinceMs: performance.now(),
      timer: setTimeout(() => this.#send(held), holdMs),
    };
    this.#held.add(held);
  }

  #send(held: HeldRefusal): void {
    clearTimeout(held.timer);
    this.#held.delete(held);
    held.behaviour.heldCount -= 1;
    held.send(performance.now() - held.sinceMs);
  }

  /** Counts a refusal; returns what is known about the connection if it is slowed, otherwise undefined. */
  #countRefusal(connection: Connection, origin: ConnectionOrigin): Behaviour | undefined {
    const behaviour = this.#behaviourOf(connection, origin);
    if (behaviour.isProxy) return undefined;
    const now = performance.now();
    if (now - behaviour.windowStartMs >= 1_000) {
      behaviour.windowStartMs = now;
      behaviour.refusedInWindow = 0;
    }
    behaviour.refusedInWindow += 1;
    behaviour.lastRefusedAtMs = now;
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
      const remainingMs = behaviour.lastRefusedAtMs + this.#options.calmMs - performance.now();
      if (connection.destroyed || !behaviour.isSlowed) return;
      if (remainingMs > 0) this.#releaseAfter(remainingMs, connection, behaviour);
      else this.#release(connection, behaviour);
    }, ms);
    timer.unref();
  }

  #release(connection: Connection, behaviour: Behaviour): void {
    behaviour.isSlowed = false;
    setMaxCalls(connection, this.#options.maxCalls);
  }

  #behaviourOf(connection: Connection, origin: ConnectionOrigin): Behaviour {
    const existing = this.#connections.get(connection);
    if (existing) return existing;
    const behaviour = {
      owners: new Set<string>(),
      isProxy: this.#options.isProxy(origin.address),
      isSlowed: false,
      heldCount: 0,
      windowStartMs: -Infinity,
      refusedInWindow: 0,
      lastRefusedAtMs: -Infinity,
    };
    this.#connections.set(connection, behaviour);
    return behaviour;
  }
}

/** Limits concurrent calls. The client delays further ones; any it still sends are refused by the HTTP/2 layer. */
function setMaxCalls(connection: Connection, maxConcurrentStreams: number): void {
  if (!connection.destroyed && !connection.closed) connection.settings?.({ maxConcurrentStreams });
}

/**
 * Reports whether a call comes from an operator or from a service, perhaps on behalf of a user. From its first such
 * call on, a connection is not slowed.
 */
function isTrusted(caller: Caller): boolean {
  if (caller.kind === 'user') return caller.via !== undefined;
  return caller.kind === 'service' || caller.kind === 'admin';
}

function ownerOf(caller: Caller): string {
  if (caller.kind === 'user') return `user:${caller.parentUserId ?? caller.userId}`;
  return caller.kind === 'client' ? `client:${caller.name}` : caller.kind;
}

/** Finds a call's connection in the internals of grpc-js. If these change, no connection is slowed. */
export function connectionOf(call: CallOrigin): ConnectionOrigin {
  const { call: inner } = call as { call?: { stream?: { session?: Connection | null } } };
  return {
    connection: inner?.stream?.session ?? undefined,
    // Read only for the first call of a connection.
    get address() {
      return call.getPeer().replace(/:\d+$/, '');
    },
  };
}

/** Reports whether a call was refused because its caller exceeded a limit; only such refusals slow a connection. */
export function isOverLimit({ code }: AppError): boolean {
  return code === 'RATE_LIMITED' || code === 'QUOTA_EXCEEDED';
}

/** Returns the refusal with a retry hint that counts from when the refusal is sent. */
export function reduceRetryAfter(refusal: AppError, heldMs: number): AppError {
  const { code, message, details } = refusal;
  if (heldMs === 0 || details.retryAfterMs === undefined) return refusal;
  const retryAfterMs = Math.max(details.retryAfterMs - heldMs, 0);
  return new AppError(code, message, { ...details, retryAfterMs });
}
