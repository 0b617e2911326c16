import { setTimeout as delay } from 'node:timers/promises';
import {
  AckPolicy,
  nanos,
  type ConsumerConfig,
  type ConsumerMessages,
  type NatsConnection,
} from 'nats';
import { backoffMs, Wakeup } from '@daycare/async';
import type { BatchHandler } from './batch-handler';
import { BatchLoop } from './batch-loop';
import { BatchProcessor } from './batch-processor';
import { discardIfAhead } from './discard-if-ahead';
import type { DeadLetter } from './failures/dead-letter';
import type { RetryTiming } from './failures/retry-delay';
import { ConnectionWatch } from '../nats/connection-watch';
import { HeldMessages } from './held-messages';
import { ensureSystemStream, jetStreamErrorCode, manageJetStream } from '../nats/ensure-stream';
import type { MessagingLogger } from '../shared/logger';
import type { MessagingObserver } from '../shared/observer';
import { ReceiptSender } from './receipt-sender';
import type { SystemStream } from '../nats/system-stream';

export interface ConsumerOptions {
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  /** Replicas that share a durable name share the work. */
  readonly durable: string;
  /** See `subjectsOfAgents`; all messages by default. Two durables must not overlap. */
  readonly filterSubjects?: readonly string[];
  /** See `oneByOne` for handlers of single messages. */
  readonly handler: BatchHandler;
  /** Resolves once the letter is stored durably. May be called again with the same id. */
  readonly deadLetter: (letter: DeadLetter) => Promise<void>;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  /** How many JetStream messages may be held that are not acknowledged yet. */
  readonly maxHeldBundles?: number;
  /** How many failures that the message may have caused make it a dead letter. */
  readonly maxFailures?: number;
  /** How many deliveries, for whatever reason, make it a dead letter. */
  readonly maxDeliveries?: number;
  readonly retry?: RetryTiming;
  /** How long after a crash of a consumer its messages are delivered to another. */
  readonly ackWaitMs?: number;
}

export interface SystemMessageConsumer {
  /** Accepts no more messages and resolves when the batch in progress has ended. */
  stop(): Promise<void>;
  /** Resolves with true when nothing waits for the durable any more, with false when that takes too long. */
  caughtUp(timeoutMs: number): Promise<boolean>;
}

/** JetStream's error code for a consumer that exists with another configuration. */
const consumerExistsOtherwise = 10_148;
const pullExpiresMs = 5_000;
const maxPulled = 64;
const drainedPollMs = 20;
const backoff = { firstMs: 100, maxMs: 5_000 };

/**
 * Starts handling system messages, in batches and each after its predecessors. Survives the loss of NATS, of
 * its stream and of its own durable, which are created again.
 */
export function consumeSystemMessages(options: ConsumerOptions): SystemMessageConsumer {
  return new Consumer(options);
}

class Consumer implements SystemMessageConsumer {
  readonly #options: ConsumerOptions;
  readonly #batches: BatchLoop;
  readonly #watch: ConnectionWatch;
  readonly #pause = new Wakeup();
  readonly #loop: Promise<void>;
  #messages: ConsumerMessages | undefined;
  #failures = 0;
  #isStopping = false;

  constructor(options: ConsumerOptions) {
    const { connection } = options;
    this.#options = options;
    this.#batches = startBatches(options);
    this.#watch = new ConnectionWatch(connection, { onReconnect: () => this.#restart() });
    void connection.closed().then(() => this.#messages?.stop());
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#messages?.stop();
    this.#pause.signal();
    await this.#batches.stop();
    await this.#loop;
    this.#watch.stop();
  }

  async caughtUp(timeoutMs: number): Promise<boolean> {
    const { connection, stream, durable } = this.#options;
    const until = Date.now() + timeoutMs;
    while (!this.#isStopping && Date.now() < until) {
      if (this.#watch.isUp && (await isDrained(connection, stream, durable))) return true;
      await delay(drainedPollMs);
    }
    return false;
  }

  /** A server that was down may have lost the durable. */
  #restart(): void {
    this.#messages?.stop();
    this.#pause.signal();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping && !this.#options.connection.isClosed()) {
      try {
        if (this.#watch.isUp) await this.#consume();
        else await this.#pause.sleep(backoff.maxMs);
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  async #consume(): Promise<void> {
    const { connection, stream, durable } = this.#options;
    await ensureSystemStream(connection, stream);
    await ensureConsumer(this.#options);
    const consumer = await connection.jetstream().consumers.get(stream.name, durable);
    if (await discardIfAhead(connection, await consumer.info(true))) return;
    const messages = await consumer.consume({
      max_messages: maxPulled,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    if (this.#isStopping) messages.stop();
    this.#noteConsuming();
    for await (const incoming of messages) await this.#batches.add(incoming);
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#isStopping) return;
    const { logger, durable } = this.#options;
    if (this.#failures === 0) logger.warn({ err: error, durable }, 'cannot consume; retrying');
    this.#failures += 1;
    await this.#pause.sleep(backoffMs(this.#failures, backoff));
  }

  #noteConsuming(): void {
    const { logger, durable } = this.#options;
    if (this.#failures > 0) logger.info({ durable }, 'consuming resumed');
    this.#failures = 0;
  }
}

/** False while the durable or the connection is missing. */
async function isDrained(
  connection: NatsConnection,
  { name }: SystemStream,
  durable: string,
): Promise<boolean> {
  try {
    const { consumers } = await manageJetStream(connection);
    const { num_pending: unread, num_ack_pending: unfinished } = await consumers.info(
      name,
      durable,
    );
    return unread === 0 && unfinished === 0;
  } catch {
    return false;
  }
}

function startBatches(options: ConsumerOptions): BatchLoop {
  const { connection, stream, logger, maxHeldBundles = 512 } = options;
  const held = new HeldMessages();
  const receipts = new ReceiptSender(connection, stream, logger);
  const processor = new BatchProcessor({
    maxFailures: 5,
    maxDeliveries: 1_000,
    retry: { firstMs: 500, maxMs: 30_000 },
    ...options,
    held,
    receipts,
  });
  const ackWaitMs = ackWaitMsOf(options);
  return new BatchLoop({ ...options, held, receipts, processor, ackWaitMs, maxHeldBundles });
}

async function ensureConsumer(options: ConsumerOptions): Promise<void> {
  const { consumers } = await manageJetStream(options.connection);
  const { stream, durable } = options;
  const config = consumerConfig(options);
  try {
    await consumers.add(stream.name, config);
  } catch (error) {
    if (jetStreamErrorCode(error) !== consumerExistsOtherwise) throw error;
    await consumers.update(stream.name, durable, config);
  }
}

/** No limit of deliveries here: burying a message that failed too often is up to `BatchProcessor`. */
function consumerConfig(options: ConsumerOptions): Partial<ConsumerConfig> {
  const { durable, filterSubjects } = options;
  return {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMsOf(options)),
    max_deliver: -1,
    // Counts messages that wait for a retry too; they must not block new ones.
    max_ack_pending: 50_000,
    ...(filterSubjects ? { filter_subjects: [...filterSubjects] } : {}),
  };
}

function ackWaitMsOf({ ackWaitMs = 10_000 }: ConsumerOptions): number {
  return ackWaitMs;
}
