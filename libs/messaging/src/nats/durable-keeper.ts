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
/** Short, because without a leader there is no response, and the next attempt waits for this one. */
const lookUpTimeoutMs = 1_000;
/** NATS usually elects a leader within nine seconds. */
const electionMs = 10_000;

/**
 * Makes sure that a group's stream and its durable consumer exist. If one of them is out of reach for
 * `recreateAfterMs` while JetStream responds, its servers are considered lost for good, and it is deleted and
 * recreated. That loses no message, because every message without a receipt is still in its outbox.
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

  /** The name of the durable, as of the last call to `ensure`. */
  get durable(): string {
    return this.#durable;
  }

  /** Whether the last `open` failed because the durable may currently have no leader. */
  get isElecting(): boolean {
    return this.#isElecting;
  }

  /**
   * Returns the durable, creating it if it is missing; rejects if it is currently out of reach. Creating it requires
   * the leader of the whole cluster, which may have to be elected as well. A durable that was opened before is
   * therefore only looked up, without applying settings, until look-ups have failed for as long as an election takes.
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

  /** Creates what is missing and updates settings; rejects if that is currently impossible. */
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

  /** Call it when the connection is lost, because failures then say nothing about the stream or the durable. */
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
   * After a loss, first requests at least three copies: NATS may still consider the lost server alive and place a
   * copy of the new stream on it, but a stream with three copies needs only two of them. Once NATS has noticed the
   * loss, there may be too few servers for three; then the configured number is requested.
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
   * Deletes the stream or the durable if it has been out of reach for too long. Its replacement gets the same time
   * to become reachable.
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
   * Rejects unless JetStream responds. If it does not, perhaps because the cluster has no majority, nothing could be
   * created either; the failures so far are then forgotten.
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

/** Reports whether a stream or durable is out of reach; one that is known not to exist is not, as it has no servers. */
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
 * Sets no delivery limit, because `BatchProcessor` buries messages that have failed too often. The consumer has as many
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
