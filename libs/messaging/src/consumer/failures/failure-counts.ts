import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';

/** How many times handling a message has failed in this process. */
export interface Failures {
  readonly all: number;
  /** Those that the message itself may have caused. */
  readonly faults: number;
}

const none: Failures = { all: 0, faults: 0 };
const maxRemembered = 10_000;

/** Counts failures per message; forgets the message that failed longest ago when there are too many. */
export class FailureCounts {
  readonly #counts = new LRUCache<string, Failures>(limitEntries(maxRemembered));

  /** Returns the counts including this failure. */
  add(messageId: string, isFault: boolean): Failures {
    const { all, faults } = this.#counts.get(messageId) ?? none;
    const counted = { all: all + 1, faults: faults + (isFault ? 1 : 0) };
    this.#counts.set(messageId, counted);
    return counted;
  }

  forget(messageId: string): void {
    this.#counts.delete(messageId);
  }
}
