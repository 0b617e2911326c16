import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { NatsLink } from './nats-link';

/** Measures how long something has been out of reach. */
export class LossClock {
  #sinceMs: number | undefined;

  /** Call it on every failure. Returns true once failures have lasted this long, and then measures from zero again. */
  hasLasted(thresholdMs: number): boolean {
    const nowMs = performance.now();
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < thresholdMs) return false;
    this.#sinceMs = nowMs;
    return true;
  }

  clear(): void {
    this.#sinceMs = undefined;
  }
}

/** How long the replicas of a service have to agree on which of them replaces a stream. */
const agreeingMs = 1_000;
/**
 * Longer than a replica takes to replace a stream that it has found lost: if another replica has announced the
 * replacement within this time, this replica leaves it to the other one.
 */
const recentMs = 5_000;

/**
 * What a process's consumers know about the loss of a stream. A service's replicas announce to each other that they are
 * replacing it, because none of them may delete a stream that another has just recreated and for which NATS is still
 * electing a leader.
 */
export class StreamLoss {
  readonly clock = new LossClock();
  hasHappened = false;
  readonly #id = randomUUID();
  #isAnnouncing = false;
  #deferredAtMs = -Infinity;

  constructor(
    private readonly connection: NatsLink,
    private readonly subject: string,
  ) {
    connection.subscribe(subject, {
      callback: (error, message) => (error ? undefined : this.#receive(message.string())),
    });
  }

  /**
   * Announces that this replica is about to replace the stream or its durable; resolves with false if another replica
   * goes first.
   */
  async claimReplacement(): Promise<boolean> {
    if (this.#hasDeferred()) return false;
    this.#isAnnouncing = true;
    this.connection.publish(this.subject, Buffer.from(this.#id));
    await delay(agreeingMs);
    this.#isAnnouncing = false;
    return !this.#hasDeferred();
  }

  #hasDeferred(): boolean {
    return performance.now() - this.#deferredAtMs < recentMs;
  }

  /** Gives a stream that another replica creates as much time to become reachable as one created here. */
  #receive(id: string): void {
    if (id === this.#id || (this.#isAnnouncing && id > this.#id)) return;
    this.#deferredAtMs = performance.now();
    this.hasHappened = true;
    this.clock.clear();
  }
}

const losses = new WeakMap<NatsLink, Map<string, StreamLoss>>();

/**
 * Returns the same object for all consumers of a stream that share a connection. `subject` is where replacements of
 * the stream are announced.
 */
export function lossOf(connection: NatsLink, subject: string): StreamLoss {
  const lossBySubject = losses.get(connection) ?? new Map<string, StreamLoss>();
  losses.set(connection, lossBySubject);
  const loss = lossBySubject.get(subject) ?? new StreamLoss(connection, subject);
  lossBySubject.set(subject, loss);
  return loss;
}
