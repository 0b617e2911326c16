import { setTimeout as delay } from 'node:timers/promises';
import { messageRoutes, type MessageGroup } from '@daycare/contracts/message-routes';
import { ConsumerEvents, type Consumer as Durable, type ConsumerMessages } from 'nats';
import { backoffMs, Wakeup } from '@daycare/async';
import type { BatchHandler } from './batch-handler';
import { BatchLoop } from './batch-loop';
import { BatchProcessor } from './batch-processor';
import type { DeadLetter } from './failures/dead-letter';
import type { RetryTiming } from './failures/retry-delay';
import { ConnectionWatch } from '../nats/connection-watch';
import { HeldMessages } from './held-messages';
import { DurableKeeper } from '../nats/durable-keeper';
import { manageJetStream } from '../nats/ensure-stream';
import type { NatsLink } from '../nats/nats-link';
import { pullOptions } from './pull-options';
import { routeProblem } from './check-route';
import type { Delivery } from './delivery';
import type { MessagingLogger } from '../shared/logger';
import type { MessagingObserver } from '../shared/observer';
import { ReceiptSender } from './receipt-sender';
import { streamNameOf, type SystemStream } from '../nats/system-stream';

export interface ConsumerOptions {
  readonly connection: NatsLink;
  readonly stream: SystemStream;
  /** Which messages to consume; the replicas of the service share them. */
  readonly group: MessageGroup;
  /** See `oneByOne` for handlers of single messages. */
  readonly handler: BatchHandler;
  /** Resolves once the dead letter is stored durably. May be called again with the same id. */
  readonly deadLetter: (letter: DeadLetter) => Promise<void>;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
  /** How many unacknowledged JetStream messages may be held. */
  readonly maxHeldBundles?: number;
  /** A message becomes a dead letter after this many failures that it may have caused. */
  readonly maxFailures?: number;
  /**
   * A message that is delivered more often than this becomes a dead letter, whatever the reason for the deliveries;
   * those that this process handed back are not counted.
   */
  readonly maxDeliveries?: number;
  readonly retry?: RetryTiming;
  /** How long NATS waits after a consumer has crashed before it delivers the consumer's messages to another. */
  readonly ackWaitMs?: number;
}

export interface SystemMessageConsumer {
  /** Accepts no more messages and resolves when the batch in progress has ended. */
  stop(): Promise<void>;
  /**
   * Resolves with true once the durable has no unread or unfinished messages; with false if that takes too long, the
   * connection is down or the consumer is stopping.
   */
  caughtUp(timeoutMs: number): Promise<boolean>;
}

const maxPulled = 64;
const drainedPollMs = 20;
const backoff = { firstMs: 100, maxMs: 1_000 };
/** Short, because after an election messages wait until the next attempt. */
const electionBackoff = { firstMs: 100, maxMs: 250 };
const reconnectPollMs = 1_000;

/**
 * Starts handling system messages, in batches and each after its predecessors. Survives the loss of NATS;
 * recreates the stream or the durable if it is lost.
 */
export function consumeSystemMessages(options: ConsumerOptions): SystemMessageConsumer {
  return new Consumer(options);
}

class Consumer implements SystemMessageConsumer {
  readonly #options: ConsumerOptions;
  readonly #batches: BatchLoop;
  readonly #watch: ConnectionWatch;
  readonly #keeper: DurableKeeper;
  readonly #pause = new Wakeup();
  readonly #loop: Promise<void>;
  #messages: ConsumerMessages | undefined;
  #failures = 0;
  #isStopping = false;

  constructor(options: ConsumerOptions) {
    const { connection } = options;
    this.#options = options;
    this.#keeper = new DurableKeeper({ ...options, ackWaitMs: ackWaitMsOf(options) });
    this.#batches = startBatches(options);
    this.#watch = new ConnectionWatch(connection, {
      onLost: () => this.#keeper.forgetFailures(),
      onReconnect: () => this.#restart(),
    });
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
    const until = Date.now() + timeoutMs;
    // Without a connection, catching up could take arbitrarily long.
    while (!this.#isStopping && this.#watch.isUp && Date.now() < until) {
      if (await isDrained(this.#options, this.#keeper.durable)) return true;
      await delay(drainedPollMs);
    }
    return false;
  }

  /** Opens the durable again, because the server may have lost it while it was down. */
  #restart(): void {
    this.#messages?.stop();
    this.#pause.signal();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping && !this.#options.connection.isClosed()) {
      try {
        if (this.#watch.isUp) await this.#consume();
        else await this.#pause.sleep(reconnectPollMs);
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  async #consume(): Promise<void> {
    const durable = await this.#keeper.open();
    const messages = await durable.consume({
      max_messages: maxPulled,
      ...pullOptions(this.#options.connection.info),
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    void stopWhenOutOfReach(durable, messages);
    if (this.#isStopping) messages.stop();
    this.#noteConsuming();
    for await (const incoming of messages) await this.#batches.add(incoming);
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#isStopping) return;
    const { logger, group } = this.#options;
    if (this.#failures === 0) logger.warn({ err: error, group }, 'cannot consume; retrying');
    this.#failures += 1;
    const delays = this.#keeper.isElecting ? electionBackoff : backoff;
    await this.#pause.sleep(backoffMs(this.#failures, delays));
  }

  #noteConsuming(): void {
    const { logger, group } = this.#options;
    if (this.#failures > 0) logger.info({ group }, 'consuming resumed');
    this.#failures = 0;
  }
}

/**
 * Stops reading from a durable that is out of reach: the NATS client itself would keep waiting for it as long as
 * the connection lasts.
 */
async function stopWhenOutOfReach(durable: Durable, messages: ConsumerMessages): Promise<void> {
  for await (const { type } of await messages.status())
    if (type === ConsumerEvents.HeartbeatsMissed) await durable.info().catch(() => messages.stop());
}

/** Reports whether nothing is unread or unfinished; false while the durable or the connection is missing. */
async function isDrained(
  { connection, stream, group }: ConsumerOptions,
  durable: string,
): Promise<boolean> {
  try {
    const { consumers } = await manageJetStream(connection);
    const { num_pending: unread, num_ack_pending: unfinished } = await consumers.info(
      streamNameOf(stream, group),
      durable,
    );
    return unread === 0 && unfinished === 0;
  } catch {
    return false;
  }
}

function startBatches(options: ConsumerOptions): BatchLoop {
  const { connection, stream, group, logger, maxHeldBundles = 512 } = options;
  const held = new HeldMessages((delivery) => isAcceptable(delivery, options));
  const receipts = new ReceiptSender(connection, stream, messageRoutes[group].to, logger);
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

/** A message that its sender may not send gets no receipt; if it is genuine, it therefore stays in its outbox. */
function isAcceptable(delivery: Delivery, { group, logger }: ConsumerOptions): boolean {
  const problem = routeProblem(group, delivery);
  if (problem === undefined) return true;
  const { id: messageId, source } = delivery;
  logger.error({ messageId, source, group, problem }, 'message refused because it may be forged');
  return false;
}

function ackWaitMsOf({ ackWaitMs = 10_000 }: ConsumerOptions): number {
  return ackWaitMs;
}
