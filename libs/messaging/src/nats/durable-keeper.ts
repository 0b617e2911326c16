import type { MessageGroup } from '@daycare/contracts/message-routes';
import {
  AckPolicy,
  nanos,
  type Consumer as Durable,
  type ConsumerConfig,
  type JetStreamManager,
} from 'nats';
import type { MessagingLogger } from '../shared/logger';
import {
  ensureSystemStream,
  jetStreamErrorCode,
  manageJetStream,
  replicasInCluster,
  requestTimeoutMs,
} from './ensure-stream';
import { LossClock, lossOf, type StreamLoss } from './stream-loss';
import type { NatsLink } from './nats-link';
import {
  durableNameOf,
  streamNameOf,
  subjectsOfGroup,
  subjectOfReplacements,
  type SystemStream,
} from './system-stream';

export interface DurableKeeperDeps {
  readonly connection: NatsLink;
  readonly stream: SystemStream;
  readonly group: MessageGroup;
  readonly ackWaitMs: number;
  readonly logger: MessagingLogger;
}

/** JetStream's error code for a consumer that exists with another configuration. */
const consumerConfigDiffers = 10_148;
/** JetStream's error codes for a stream or a consumer that does not exist. */
const notFoundCodes: readonly (number | undefined)[] = [10_059, 10_014];
/** Short, because no leader means no answer, and the next attempt waits for this one. */
const lookUpTimeoutMs = 1_000;
/** NATS usually elects a leader within nine seconds. */
const electionMs = 10_000;

/**
 * Keeps the stream of a group and its durable consumer in existence. If one of them stays out of reach for
 * long although JetStream answers, it has lost its servers for good. It is then deleted and recreated, since
 * every message without a receipt is still in its outbox.
 */
export class DurableKeeper {
  readonly #deps: DurableKeeperDeps;
  readonly #name: string;
  readonly #streamLoss: StreamLoss;
  readonly #durableClock = new LossClock();
  readonly #electionClock = new LossClock();
  #durable: string;
  #hasOpened = false;
  #isElecting = false;

  constructor(deps: DurableKeeperDeps) {
    this.#deps = deps;
    this.#name = streamNameOf(deps.stream, deps.group);
    this.#streamLoss = lossOf(deps.connection, subjectOfReplacements(deps.stream, deps.group));
    this.#durable = durableNameOf(deps.group, undefined);
  }

  /** The name of the durable, as of the last call of `ensure`. */
  get durable(): string {
    return this.#durable;
  }

  /** Whether the last `open` failed because the durable may have no leader at this moment. */
  get isElecting(): boolean {
    return this.#isElecting;
  }

  /**
   * Returns the durable, creating it if it is missing; rejects when it is out of reach at this moment. Creating it
   * requires the leader of the whole cluster, which may have to be elected as well. So for the length of an election,
   * a durable that was opened before is only looked up. Settings are applied when it is first opened.
   */
  async open(): Promise<Durable> {
    this.#isElecting = false;
    const durable = this.#hasOpened ? await this.#findAgain() : undefined;
    if (!durable) await this.ensure();
    const opened = durable ?? (await this.#find(requestTimeoutMs));
    this.#hasOpened = true;
    this.forgetFailures();
    return opened;
  }

  /** Creates what is missing and updates settings; rejects when that is not possible at this moment. */
  async ensure(): Promise<void> {
    try {
      this.#durable = durableNameOf(this.#deps.group, await this.#ensureStream());
      await this.#ensureConsumer();
      this.forgetFailures();
    } catch (error) {
      await this.#replaceIfLost().catch(() => undefined);
      throw error;
    }
  }

  /** Call it when the connection is lost: without a connection, nothing can be known to be out of reach. */
  forgetFailures(): void {
    this.#streamLoss.clock.clear();
    this.#durableClock.clear();
    this.#electionClock.clear();
  }

  async #find(timeout: number): Promise<Durable> {
    const { consumers } = this.#deps.connection.jetstream({ timeout });
    return consumers.get(this.#name, this.#durable);
  }

  /** Looks the durable up; undefined when it has to be created or may have lost its servers. */
  async #findAgain(): Promise<Durable | undefined> {
    try {
      return await this.#find(lookUpTimeoutMs);
    } catch (error) {
      if (isNotFound(error) || this.#electionClock.hasLasted(electionMs)) return undefined;
      this.#isElecting = true;
      throw error;
    }
  }

  /**
   * After a loss, first asks for at least three copies: NATS may still count the lost server as alive and
   * place a single copy of the new stream there again; of three copies, two are enough. Once NATS knows about
   * the loss, there may be too few servers for three; then the configured number is requested.
   */
  async #ensureStream(): Promise<string | undefined> {
    const { connection, stream, group } = this.#deps;
    if (this.#streamLoss.hasHappened)
      try {
        const replicas = Math.max(stream.replicas ?? 0, replicasInCluster);
        return await ensureSystemStream(connection, { ...stream, replicas }, group);
      } catch (error) {
        if (jetStreamErrorCode(error) === undefined) throw error;
      }
    return ensureSystemStream(connection, stream, group);
  }

  async #ensureConsumer(): Promise<void> {
    const { consumers } = await manageJetStream(this.#deps.connection);
    const config = { ...consumerConfig(this.#deps), durable_name: this.#durable };
    try {
      await consumers.add(this.#name, config);
    } catch (error) {
      if (jetStreamErrorCode(error) !== consumerConfigDiffers) throw error;
      await consumers.update(this.#name, this.#durable, config);
    }
  }

  /**
   * Deletes the stream or the durable if it has been out of reach for too long. The one that replaces it gets
   * the same time to become reachable.
   */
  async #replaceIfLost(): Promise<void> {
    const jetStream = await this.#requireJetStream();
    const { recreateAfterMs } = this.#deps.stream;
    const isStreamDue = this.#streamLoss.clock.hasLasted(recreateAfterMs);
    const isDurableDue = this.#durableClock.hasLasted(recreateAfterMs);
    if (!isStreamDue && !isDurableDue) return;
    const isStreamLost = await isOutOfReach(jetStream.streams.info(this.#name));
    if (isStreamLost && isStreamDue) await this.#deleteStream(jetStream);
    if (!isStreamLost && isDurableDue) await this.#deleteDurableIfLost(jetStream);
  }

  /**
   * Rejects unless JetStream answers: if it does not, perhaps for lack of a majority of the cluster, nothing
   * could be created either. Time without an answer does not count.
   */
  async #requireJetStream(): Promise<JetStreamManager> {
    try {
      const jetStream = await manageJetStream(this.#deps.connection);
      await jetStream.getAccountInfo();
      return jetStream;
    } catch (error) {
      this.forgetFailures();
      throw error;
    }
  }

  async #deleteStream(jetStream: JetStreamManager): Promise<void> {
    const { logger } = this.#deps;
    if (!(await this.#streamLoss.claimReplacement())) return;
    logger.error({ stream: this.#name }, 'stream has lost its servers; recreating it');
    this.#streamLoss.hasHappened = true;
    await jetStream.streams.delete(this.#name);
  }

  async #deleteDurableIfLost(jetStream: JetStreamManager): Promise<void> {
    const { logger, group } = this.#deps;
    if (!(await isOutOfReach(jetStream.consumers.info(this.#name, this.#durable)))) return;
    if (!(await this.#streamLoss.claimReplacement())) return;
    logger.error({ stream: this.#name, group }, 'consumer has lost its servers; recreating it');
    await jetStream.consumers.delete(this.#name, this.#durable);
  }
}

/** False also for what is known not to exist: it has not lost its servers. */
async function isOutOfReach(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return false;
  } catch (error) {
    return !isNotFound(error);
  }
}

function isNotFound(error: unknown): boolean {
  return notFoundCodes.includes(jetStreamErrorCode(error));
}

/**
 * No delivery limit here: burying a message that failed too often is up to `BatchProcessor`. The consumer has as many
 * copies as the stream.
 */
function consumerConfig({ stream, group, ackWaitMs }: DurableKeeperDeps): Partial<ConsumerConfig> {
  return {
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    // Also counts messages that are waiting for a retry; they must not block new ones.
    max_ack_pending: 50_000,
    filter_subject: subjectsOfGroup(stream, group),
  };
}
