import type { SystemMessage } from '@daycare/contracts/common';
import type { BatchHandler } from '../consumer/batch-handler';

interface Arrivals {
  /** The highest number of all messages that have arrived. */
  newest: number;
  lastMs: number;
  longestPauseMs: number;
}

/**
 * Records when messages of each lane were stored, as seen by their handler: reading them from the database
 * would delay what is measured. A message's text is its number in its lane.
 */
export class ArrivalLog {
  readonly #lanes: ReadonlyMap<string, Arrivals>;

  constructor(lanes: readonly string[]) {
    const start = { newest: -1, lastMs: performance.now(), longestPauseMs: 0 };
    this.#lanes = new Map(lanes.map((lane) => [lane, { ...start }]));
  }

  /** Wraps a handler so that each message is recorded when it is stored. */
  watch(handler: BatchHandler<SystemMessage>): BatchHandler<SystemMessage> {
    return {
      ...handler,
      store: async (messages) => {
        const dropped = await handler.store(messages);
        for (const { lane, text } of messages) this.#record(lane, Number(text));
        return dropped;
      },
    };
  }

  /** Forgets the pauses so far. */
  restart(): void {
    const lastMs = performance.now();
    for (const arrivals of this.#lanes.values())
      Object.assign(arrivals, { lastMs, longestPauseMs: 0 });
  }

  /** The number of the newest stored message of a lane; -1 when there is none. */
  newestOf(lane: string): number {
    return this.#lanes.get(lane)?.newest ?? -1;
  }

  /** The longest time for which nothing was stored in a lane since the last restart. */
  get longestPauseMs(): number {
    return Math.max(...[...this.#lanes.values()].map(({ longestPauseMs }) => longestPauseMs));
  }

  #record(lane: string, number: number): void {
    const arrivals = this.#lanes.get(lane);
    // A copy of an earlier message does not count as an arrival.
    if (!arrivals || number <= arrivals.newest) return;
    const nowMs = performance.now();
    arrivals.longestPauseMs = Math.max(arrivals.longestPauseMs, nowMs - arrivals.lastMs);
    arrivals.lastMs = nowMs;
    arrivals.newest = number;
  }
}
