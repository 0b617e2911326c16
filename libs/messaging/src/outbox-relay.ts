import { randomUUID } from 'node:crypto';
import type { NatsConnection } from 'nats';
import { Alarm } from './alarm';
import { ConnectionWatch } from './connection-watch';
import type { MessagingLogger } from './logger';
import type { OutboxPublisher } from './outbox-publisher';
import type { Due, OutboxQueue } from './outbox-queue';
import type { OutboxRow } from './outbox-row';
import { Slots } from './slots';

export interface RelayParts {
  readonly connection: NatsConnection;
  readonly queue: OutboxQueue;
  readonly publisher: OutboxPublisher;
  readonly logger: MessagingLogger;
  readonly pollMs: number;
  readonly maxInFlight: number;
}

const batchSize = 256;
const maxRestMs = 5_000;

/**
 * Publishes the head of every lane and nothing behind it. Lanes named to `wake` are looked at once,
 * all lanes now and then, so that nobody's crash leaves a row behind. Any number may run at once.
 */
export class OutboxRelay {
  readonly #parts: RelayParts;
  readonly #watch: ConnectionWatch;
  readonly #slots: Slots;
  readonly #batchSize: number;
  readonly #woken = new Set<string>();
  readonly #wakeAlarm = new Alarm();
  readonly #pollAlarm = new Alarm();
  readonly #loops: Promise<void>;
  #republishBefore = new Date(0);
  #isReading = true;
  #isStopping = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#slots = new Slots(parts.maxInFlight);
    this.#batchSize = Math.min(batchSize, parts.maxInFlight);
    this.#watch = new ConnectionWatch(parts.connection, {
      onLost: () => parts.publisher.giveUpWaiting(),
      onReconnect: () => void this.#startAnew(),
    });
    this.#loops = this.#run();
  }

  /** Looks at these lanes at once; to be called after an append and after a receipt. */
  wake(lanes: Iterable<string>): void {
    for (const lane of lanes) this.#woken.add(lane);
    this.#wakeAlarm.ring();
  }

  /** Takes up nothing new and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeAlarm.ring();
    this.#pollAlarm.ring();
    await this.#loops;
    await this.#slots.idle();
    this.#watch.stop();
  }

  /** The server may have lost what it had, and receipts may have been lost on the way. */
  async #startAnew(): Promise<void> {
    this.#republishBefore = new Date();
    await this.#parts.publisher.ensureStream();
    this.#pollAlarm.ring();
  }

  async #run(): Promise<void> {
    await this.#parts.publisher.ensureStream();
    await Promise.all([this.#relayWoken(), this.#relayAll()]);
  }

  async #relayWoken(): Promise<void> {
    while (!this.#isStopping) {
      if (this.#woken.size === 0) await this.#wakeAlarm.sleep(this.#parts.pollMs);
      const lanes = [...this.#woken].slice(0, batchSize);
      for (const lane of lanes) this.#woken.delete(lane);
      if (lanes.length > 0) await this.#pass(lanes);
    }
  }

  /** Rests up to nine times as long as it worked, so that a long backlog does not keep the database busy. */
  async #relayAll(): Promise<void> {
    while (!this.#isStopping) {
      const startedMs = performance.now();
      await this.#pass();
      const restMs = Math.min(maxRestMs, (performance.now() - startedMs) * 9);
      await this.#pollAlarm.sleep(Math.max(this.#parts.pollMs, restMs));
    }
  }

  async #pass(lanes?: readonly string[]): Promise<void> {
    if (!this.#watch.isUp) return;
    try {
      let batch: string[] = [];
      for await (const id of this.#parts.queue.findDueHeads(this.#due(), lanes)) {
        if (batch.push(id) < this.#batchSize) continue;
        await this.#publishBatch(batch);
        batch = [];
        if (this.#isStopping) return;
      }
      if (batch.length > 0) await this.#publishBatch(batch);
      this.#isReading = true;
    } catch (error) {
      this.#noteUnreadable(error);
    }
  }

  #noteUnreadable(error: unknown): void {
    if (this.#isReading)
      this.#parts.logger.warn({ err: error }, 'cannot read the outbox; trying on');
    this.#isReading = false;
  }

  /** Resolves when all are on their way; their slots are free again when NATS has answered. */
  async #publishBatch(ids: readonly string[]): Promise<void> {
    await this.#slots.acquire(ids.length);
    const claim = randomUUID();
    let rows: readonly OutboxRow[] = [];
    try {
      rows = await this.#parts.queue.claim(ids, this.#due(), claim);
    } finally {
      this.#slots.release(ids.length - rows.length);
    }
    for (const row of rows) void this.#publish(row, claim);
  }

  #due(): Due {
    return { now: new Date(), republishBefore: this.#republishBefore };
  }

  async #publish(row: OutboxRow, claim: string): Promise<void> {
    const { publisher, queue, logger } = this.#parts;
    try {
      // Without a connection the answer would only time out.
      if (this.#watch.isUp && (await publisher.publish(row))) return;
      const nextAttemptAt = new Date(Date.now() + publisher.retryDelayMs());
      await queue.release([row._id], claim, nextAttemptAt);
    } catch (error) {
      logger.warn({ err: error, messageId: row._id }, 'cannot give a row back; it waits longer');
    } finally {
      this.#slots.release();
    }
  }
}
