import {
  AckPolicy,
  nanos,
  type ConsumerConfig,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
} from 'nats';
import { Alarm } from './alarm';
import type { RetryTiming } from './blame';
import { ConnectionWatch } from './connection-watch';
import { DeliveryHandler, type DeliveryHandlerParts } from './delivery-handler';
import { ensureSystemStream, jetStreamErrorCode, manageJetStream } from './ensure-stream';
import type { MessagingLogger } from './logger';
import type { MessagingObserver } from './observer';
import { ReceiptSender } from './receipt-sender';
import { Slots } from './slots';
import type { SystemStream } from './system-stream';

export interface ConsumerOptions {
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  /** Replicas that share a durable name share the work. */
  readonly durable: string;
  /** See `subjectsOfShard`; all messages when not given. No two durables may overlap. */
  readonly filterSubjects?: readonly string[];
  /**
   * Resolves once the message is stored durably. May be called with the same id at any later time and
   * by any replica: an id already stored must do nothing, an id that became a dead letter must be
   * refused again as it was then. Ids must be remembered longer than the stream's `maxAgeMs`.
   */
  readonly handle: DeliveryHandlerParts['handle'];
  /** Resolves once the letter is stored durably; must take the same id twice. */
  readonly deadLetter: DeliveryHandlerParts['deadLetter'];
  readonly logger: MessagingLogger;
  readonly observer?: MessagingObserver;
  readonly concurrency?: number;
  /** After so many failures that may be the message's own fault it becomes a dead letter. */
  readonly maxFailures?: number;
  /** After so many deliveries, for whatever reason, it becomes a dead letter. */
  readonly maxDeliveries?: number;
  readonly retry?: RetryTiming;
  /** How long after a consumer's crash its messages go to another. */
  readonly ackWaitMs?: number;
}

export interface SystemMessageConsumer {
  /** Takes no more messages and resolves when those under way have ended. */
  stop(): Promise<void>;
}

const consumerExistsOtherwise = 10_148;
const pullExpiresMs = 5_000;
const maxPauseMs = 5_000;

/**
 * Starts handling system messages, several at once but one at a time per lane. Survives the loss of
 * NATS, of its stream and of its own durable: what is missing is created again.
 */
export function consumeSystemMessages(options: ConsumerOptions): SystemMessageConsumer {
  return new Consumer(options);
}

class Consumer implements SystemMessageConsumer {
  readonly #options: ConsumerOptions;
  readonly #concurrency: number;
  readonly #slots: Slots;
  readonly #receipts: ReceiptSender;
  readonly #handler: DeliveryHandler;
  readonly #watch: ConnectionWatch;
  readonly #pause = new Alarm();
  readonly #loop: Promise<void>;
  #messages: ConsumerMessages | undefined;
  #failedTimes = 0;
  #isStopping = false;

  constructor(options: ConsumerOptions) {
    const { connection, stream, logger, observer = {}, concurrency = 64 } = options;
    this.#options = options;
    this.#concurrency = concurrency;
    this.#slots = new Slots(concurrency);
    this.#receipts = new ReceiptSender(connection, stream, logger);
    this.#handler = new DeliveryHandler({
      maxFailures: 5,
      maxDeliveries: 1_000,
      retry: { firstMs: 500, maxMs: 30_000 },
      ...options,
      ackWaitMs: ackWaitMsOf(options),
      receipts: this.#receipts,
      observer,
    });
    this.#watch = new ConnectionWatch(connection, { onReconnect: () => this.#beginAgain() });
    void connection.closed().then(() => this.#messages?.stop());
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#messages?.stop();
    this.#pause.ring();
    await this.#loop;
    await this.#slots.idle();
    this.#watch.stop();
    this.#receipts.flush();
  }

  /** A server that comes back may have lost the durable. */
  #beginAgain(): void {
    this.#messages?.stop();
    this.#pause.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping && !this.#options.connection.isClosed()) {
      try {
        if (this.#watch.isUp) await this.#consume();
        else await this.#pause.sleep(maxPauseMs);
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
    const messages = await consumer.consume({
      max_messages: this.#concurrency,
      expires: pullExpiresMs,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    if (this.#isStopping) messages.stop();
    this.#noteConsuming();
    for await (const incoming of messages) await this.#take(incoming);
  }

  async #take(incoming: JsMsg): Promise<void> {
    await this.#slots.acquire();
    // Given back at once, so that another replica need not wait for it.
    const ended = this.#isStopping ? incoming.nak() : this.#handler.process(incoming);
    void Promise.resolve(ended).finally(() => this.#slots.release());
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#isStopping) return;
    const { logger, durable } = this.#options;
    if (this.#failedTimes === 0) logger.warn({ err: error, durable }, 'cannot consume; trying on');
    const pauseMs = Math.min(maxPauseMs, 100 * 2 ** this.#failedTimes++);
    await this.#pause.sleep(pauseMs);
  }

  #noteConsuming(): void {
    const { logger, durable } = this.#options;
    if (this.#failedTimes > 0) logger.info({ durable }, 'consuming again');
    this.#failedTimes = 0;
  }
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

/** Deliveries are not limited here: a message that failed too often is for us to bury. */
function consumerConfig(options: ConsumerOptions): Partial<ConsumerConfig> {
  const { durable, filterSubjects } = options;
  return {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMsOf(options)),
    max_deliver: -1,
    // Messages waiting for another try count as well; they must not keep new ones away.
    max_ack_pending: 50_000,
    ...(filterSubjects ? { filter_subjects: [...filterSubjects] } : {}),
  };
}

function ackWaitMsOf({ ackWaitMs = 10_000 }: ConsumerOptions): number {
  return ackWaitMs;
}
