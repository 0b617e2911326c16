import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { JsMsg } from 'nats';
import { readDeliveries, type Delivery } from './delivery';

/** A JetStream message that is not acknowledged yet. */
export interface HeldBundle {
  readonly incoming: JsMsg;
  readonly bytes: number;
  /**
   * How many times it was delivered, not counting the deliveries that this process handed back.
   */
  readonly deliveries: number;
  /** The keys of its messages that are not done. */
  readonly openKeys: Set<string>;
}

/** A message that is not done yet, with all held bundles that contain a copy of it. */
export interface HeldMessage {
  /** The message's id, or its position in the stream when it has none. */
  readonly key: string;
  readonly delivery: Delivery;
  /**
   * The predecessors that every copy so far has named. If a copy omits a predecessor, that predecessor was no
   * longer open when the copy was published.
   */
  predecessors: readonly string[];
  readonly bundles: HeldBundle[];
  /** When to try again, after a failure or while predecessors are missing. */
  retryAtMs: number;
  /** How many times in a row it was postponed because a predecessor was missing. */
  postponements: number;
}

export type HandledOutcome =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'dead'; readonly reason: string };

const maxRemembered = 50_000;

/**
 * The messages that a consumer has received but not finished, in the order of arrival, and the outcomes of those that
 * it has finished recently. A bundle is acknowledged when all its messages are done.
 */
export class HeldMessages {
  readonly #held = new Map<string, HeldMessage>();
  readonly #bundles = new Set<HeldBundle>();
  readonly #handled = new LRUCache<string, HandledOutcome>(limitEntries(maxRemembered));
  /** How many times each JetStream message was handed back to its durable. */
  readonly #handedBack = new LRUCache<string, number>(limitEntries(maxRemembered));
  #bytes = 0;

  /** Messages that `isAcceptable` rejects are dropped. */
  constructor(private readonly isAcceptable: (delivery: Delivery) => boolean = () => true) {}

  get bytes(): number {
    return this.#bytes;
  }

  get bundles(): ReadonlySet<HeldBundle> {
    return this.#bundles;
  }

  values(): IterableIterator<HeldMessage> {
    return this.#held.values();
  }

  get(key: string): HeldMessage | undefined {
    return this.#held.get(key);
  }

  isHandled(id: string): boolean {
    return this.#handled.has(id);
  }

  /**
   * Holds the messages of a bundle, except those that this process has already handled. Returns the latter,
   * because their receipts have to be sent again.
   */
  add(incoming: JsMsg): readonly (readonly [Delivery, HandledOutcome])[] {
    const bundle = this.#toBundle(incoming);
    const redelivered: (readonly [Delivery, HandledOutcome])[] = [];
    for (const delivery of readDeliveries(incoming)) {
      if (!this.isAcceptable(delivery)) continue;
      const outcome = delivery.id === '' ? undefined : this.#handled.get(delivery.id);
      if (outcome) redelivered.push([delivery, outcome]);
      else this.#hold(delivery, bundle);
    }
    if (bundle.openKeys.size === 0) incoming.ack();
    else this.#bundles.add(bundle);
    this.#bytes += bundle.openKeys.size === 0 ? 0 : bundle.bytes;
    return redelivered;
  }

  /** Call it once the outcome is durable. */
  finish(message: HeldMessage, outcome: HandledOutcome): void {
    const { key, delivery, bundles } = message;
    if (delivery.id !== '') this.#handled.set(delivery.id, outcome);
    this.#held.delete(key);
    for (const bundle of bundles) {
      bundle.openKeys.delete(key);
      if (bundle.openKeys.size > 0) continue;
      bundle.incoming.ack();
      this.#drop(bundle);
    }
  }

  /** Removes predecessors that have been handled, and makes postponed messages that named one of them due. */
  unpark(): void {
    for (const message of this.#held.values())
      if (message.predecessors.some((id) => this.#handled.has(id))) {
        message.predecessors = message.predecessors.filter((id) => !this.#handled.has(id));
        endPostponement(message);
      }
  }

  /** Returns a bundle to NATS, which delivers it again after the delay. */
  handBack(bundle: HeldBundle, delayMs?: number): void {
    const key = handBackKey(bundle.incoming);
    this.#handedBack.set(key, (this.#handedBack.get(key) ?? 0) + 1);
    this.abandon(bundle, (incoming) => incoming.nak(delayMs));
  }

  /** Drops what is left of a bundle; `respond` sends NATS the response to its delivery. */
  abandon(bundle: HeldBundle, respond: (incoming: JsMsg) => void): void {
    respond(bundle.incoming);
    this.#drop(bundle);
    for (const key of bundle.openKeys) {
      const message = this.#held.get(key);
      message?.bundles.splice(message.bundles.indexOf(bundle), 1);
      if (message?.bundles.length === 0) this.#held.delete(key);
    }
  }

  #toBundle(incoming: JsMsg): HeldBundle {
    const deliveries = incoming.info.deliveryCount - this.#handBacksOf(incoming);
    return { incoming, bytes: incoming.data.byteLength, deliveries, openKeys: new Set() };
  }

  /**
   * Returns how many times this process handed the message back to its durable. A recreated durable counts deliveries
   * from one again; the hand-backs to the old one are then forgotten.
   */
  #handBacksOf(incoming: JsMsg): number {
    const key = handBackKey(incoming);
    const count = this.#handedBack.get(key) ?? 0;
    if (count < incoming.info.deliveryCount) return count;
    this.#handedBack.delete(key);
    return 0;
  }

  #hold(delivery: Delivery, bundle: HeldBundle): void {
    const { id, predecessors } = delivery;
    const key = id || `${bundle.incoming.info.stream}:${bundle.incoming.seq}`;
    const held = this.#held.get(key);
    if (held) this.#narrow(held, predecessors);
    const message = held ?? {
      key,
      delivery,
      predecessors,
      bundles: [],
      retryAtMs: 0,
      postponements: 0,
    };
    this.#held.set(key, message);
    if (!message.bundles.includes(bundle)) message.bundles.push(bundle);
    bundle.openKeys.add(key);
  }

  #narrow(message: HeldMessage, predecessors: readonly string[]): void {
    const remaining = message.predecessors.filter((id) => predecessors.includes(id));
    if (remaining.length === message.predecessors.length) return;
    message.predecessors = remaining;
    endPostponement(message);
  }

  #drop(bundle: HeldBundle): void {
    if (this.#bundles.delete(bundle)) this.#bytes -= bundle.bytes;
  }
}

/** Postpones a message after a failure; unlike a missing predecessor, nothing but time ends this. */
export function retryLater(message: HeldMessage, delayMs: number): void {
  message.postponements = 0;
  message.retryAtMs = Date.now() + delayMs;
}

/** Makes a postponed message due; one that waits for its retry after a failure goes on waiting. */
function endPostponement(message: HeldMessage): void {
  if (message.postponements === 0) return;
  message.postponements = 0;
  message.retryAtMs = 0;
}

/**
 * Includes the stream, because each stream has its own positions, and the durable, because deliveries are counted per
 * durable.
 */
function handBackKey({ info, seq }: JsMsg): string {
  return `${info.stream}:${info.consumer}:${seq}`;
}
