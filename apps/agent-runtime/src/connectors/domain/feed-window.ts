import type { Horizon } from './feed-horizon';
import type { FeedKey, FeedPosition } from './feed-position';

export interface WindowLimits {
  /**
   * How long a write with a lower order than an item may still appear after that item was read. The database aborts
   * writes before they have taken this long.
   */
  readonly graceMs: number;
  /** An item stored this long before the horizon, by the database's clock, is settled however recently it was read. */
  readonly pastSeconds: bigint;
  /** How many items may be unsettled; each is part of every position. */
  readonly maxAhead: number;
}

export const windowLimits: WindowLimits = { graceMs: 10_000, pastSeconds: 60n, maxAhead: 1_000 };

interface SentItem extends FeedKey {
  /** When it was read, or first known to have been sent. */
  readonly seenAtMs: number;
}

/**
 * Tracks which items of a feed have been sent. A write gets its order before it becomes visible, so it can
 * appear after a write with a higher order. Therefore items are read again as long as a late write may
 * precede them, and those that have been sent are remembered for just as long.
 */
export class FeedWindow {
  #low: bigint;
  #sent: Map<string, SentItem>;
  #partial: FeedPosition['partial'];

  constructor(
    { low, ahead, partial }: FeedPosition,
    nowMs: number,
    private readonly limits: WindowLimits = windowLimits,
  ) {
    this.#low = low;
    this.#sent = new Map(ahead.map((key) => [nameOf(key), { ...key, seenAtMs: nowMs }]));
    this.#partial = partial;
  }

  /** Everything up to this order has been sent, and no late write can appear there. */
  get low(): bigint {
    return this.#low;
  }

  /** How many more items may be sent before earlier ones have to settle. */
  get room(): number {
    return Math.max(0, this.limits.maxAhead - this.#sent.size);
  }

  has(key: FeedKey): boolean {
    return key.order <= this.#low || this.#sent.has(nameOf(key));
  }

  /** Returns the sequence number of the last record sent from a partly sent entry; 0 for other entries. */
  lastSentSequence(order: bigint): number {
    return this.#partial?.order === order ? this.#partial.sequence : 0;
  }

  /** Notes that an entry's records have been sent up to this sequence number, and that more follow. */
  addPart(order: bigint, sequence: number): void {
    this.#partial = { order, sequence };
  }

  /** Notes that an item has been sent completely. */
  add(key: FeedKey, seenAtMs: number): void {
    if (this.#partial?.order === key.order) this.#partial = undefined;
    this.#sent.set(nameOf(key), { ...key, seenAtMs });
  }

  /**
   * Notes that the items from a read with this horizon have been sent: those below `before`, or all if it is undefined.
   * Drops items from the window that no late write can precede any more.
   */
  settle({ asOfMs, since }: Horizon, before: bigint | undefined): void {
    const past = (since >> 32n) - this.limits.pastSeconds;
    const isSettled = ({ order, seenAtMs }: SentItem): boolean =>
      order >> 32n <= past || seenAtMs + this.limits.graceMs <= asOfMs;
    let low = this.#low;
    for (const sent of this.#sent.values())
      if (sent.order > low && (before === undefined || sent.order < before) && isSettled(sent))
        low = sent.order;
    if (low === this.#low) return;
    this.#low = low;
    this.#sent = new Map([...this.#sent].filter(([, { order }]) => order > low));
  }

  /** When the first item can leave the window; undefined when the window is empty. */
  get settlesAtMs(): number | undefined {
    const [first] = this.#sent.values();
    return first && first.seenAtMs + this.limits.graceMs;
  }

  get position(): FeedPosition {
    const ahead = [...this.#sent.values()].map(({ order, id }) => ({ order, id }));
    return { low: this.#low, ahead, partial: this.#partial };
  }
}

/**
 * Returns the position after everything stored, given the newest items in a feed; undefined when there are none. A
 * write with a lower order may still appear, so the position lists the newest items, at most half as many as it could.
 */
export function endPosition(
  keys: readonly FeedKey[],
  { graceMs, maxAhead }: WindowLimits,
): FeedPosition | undefined {
  const sorted = [...keys].sort((one, other) => (one.order > other.order ? -1 : 1));
  const [newest] = sorted;
  if (!newest) return undefined;
  const graceOrders = BigInt(Math.ceil(graceMs / 1_000)) << 32n;
  const settled = newest.order > graceOrders ? newest.order - graceOrders : 0n;
  const lowest = sorted[Math.floor(maxAhead / 2)]?.order ?? 0n;
  const low = lowest > settled ? lowest : settled;
  return { low, ahead: sorted.filter(({ order }) => order > low).reverse() };
}

function nameOf({ order, id }: FeedKey): string {
  return `${order} ${id}`;
}
