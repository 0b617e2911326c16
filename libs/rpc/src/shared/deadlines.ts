/** A call that ends at its deadline. */
export interface Expiring {
  expire(): void;
}

/** Where a call waits for its deadline; a call that ends earlier must be deleted from its slot. */
export interface DeadlineSlot {
  delete(call: Expiring): unknown;
}

interface Slot {
  readonly tick: number;
  readonly calls: Set<Expiring>;
}

const tickMs = 10;
/** How far in the future a slot may be; this bounds the number of slots, whatever deadlines clients choose. */
const maxAheadMs = 60_000;

/**
 * Ends calls at their deadlines with one timer for all of them. Calls whose deadlines are close together share a slot,
 * so that starting or ending a call usually sets no timer. A call ends at most one tick late, and never early.
 */
export class Deadlines {
  readonly #byTick = new Map<number, Slot>();
  /** All slots, the next one first. */
  readonly #slots: Slot[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerTick = Infinity;

  /** `now` must be monotonic, because setting the system clock must neither end nor prolong a call. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Calls `expire` when `now` reaches `atMs`, unless the call is deleted from the slot before that. */
  add(call: Expiring, atMs: number): DeadlineSlot {
    if (atMs - this.now() <= maxAheadMs) return this.#join(call, atMs);
    const farCall = new FarCall(call, atMs, this.now, (far, untilMs) => this.#join(far, untilMs));
    // The deadline is not due yet, so this only puts the call into its first slot.
    farCall.expire();
    return farCall;
  }

  #join(call: Expiring, atMs: number): DeadlineSlot {
    const tick = Math.ceil(atMs / tickMs);
    const { calls } = this.#byTick.get(tick) ?? this.#addSlot(tick);
    calls.add(call);
    return calls;
  }

  #addSlot(tick: number): Slot {
    const slot = { tick, calls: new Set<Expiring>() };
    this.#byTick.set(tick, slot);
    // Searched from the end, because later calls mostly have later deadlines.
    this.#slots.splice(this.#slots.findLastIndex((earlier) => earlier.tick < tick) + 1, 0, slot);
    if (tick < this.#timerTick) this.#setTimer();
    return slot;
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timerTick = this.#slots[0]?.tick ?? Infinity;
    if (this.#timerTick === Infinity) return;
    const waitMs = Math.max(this.#timerTick * tickMs - this.now(), 1);
    this.#timer = setTimeout(() => this.#expire(), waitMs);
    // Open calls keep the process alive through their connections.
    this.#timer.unref();
  }

  /** Ends the calls that are due, and drops all slots before the next one that still has to wait. */
  #expire(): void {
    const isWaiting = ({ tick, calls }: Slot): boolean =>
      calls.size > 0 && tick * tickMs > this.now();
    const next = this.#slots.findIndex(isWaiting);
    const removed = this.#slots.splice(0, next === -1 ? this.#slots.length : next);
    for (const { tick } of removed) this.#byTick.delete(tick);
    this.#setTimer();
    for (const { calls } of removed) for (const call of calls) call.expire();
  }
}

/** A call whose deadline is too far away for a slot; it moves from slot to slot until its deadline. */
class FarCall implements Expiring, DeadlineSlot {
  #slot: DeadlineSlot | undefined;

  constructor(
    private readonly call: Expiring,
    private readonly atMs: number,
    private readonly now: () => number,
    private readonly join: (call: Expiring, atMs: number) => DeadlineSlot,
  ) {}

  expire(): void {
    const now = this.now();
    if (now >= this.atMs) this.call.expire();
    else this.#slot = this.join(this, Math.min(this.atMs, now + maxAheadMs));
  }

  delete(): void {
    this.#slot?.delete(this);
  }
}
