import type { NatsLink } from './nats-link';

/** For how long something has been out of reach. */
export class LossClock {
  #sinceMs: number | undefined;

  /** To be called with every failure; returns whether they have gone on for this long, and then starts again. */
  hasLasted(patienceMs: number): boolean {
    const nowMs = performance.now();
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < patienceMs) return false;
    this.#sinceMs = nowMs;
    return true;
  }

  clear(): void {
    this.#sinceMs = undefined;
  }
}

/** What the consumers of a process know about the loss of a stream. */
export interface StreamLoss {
  readonly clock: LossClock;
  hasHappened: boolean;
}

const losses = new WeakMap<NatsLink, Map<string, StreamLoss>>();

/**
 * The same for all consumers that share a connection: none of them may delete what another has just created and
 * NATS is still electing a leader for.
 */
export function lossOf(connection: NatsLink, stream: string): StreamLoss {
  const ofConnection = losses.get(connection) ?? new Map<string, StreamLoss>();
  losses.set(connection, ofConnection);
  const loss = ofConnection.get(stream) ?? { clock: new LossClock(), hasHappened: false };
  ofConnection.set(stream, loss);
  return loss;
}
