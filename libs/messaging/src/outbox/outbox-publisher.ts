import type { MessageGroup } from '@daycare/contracts/message-routes';
import { NatsError, type JetStreamClient } from 'nats';
import { raceAbort } from '@daycare/async';
import type { MessagingLogger } from '../shared/logger';
import type { NatsLink } from '../nats/nats-link';
import type { MessagingObserver } from '../shared/observer';
import { encodeBundle, type Bundle } from './queue/bundles';
import { streamNameOf, subjectOf, type SystemStream } from '../nats/system-stream';

export interface PublisherOptions {
  readonly connection: NatsLink;
  readonly stream: SystemStream;
  readonly source: string;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
}

/**
 * Short, because the messages that are queued behind a bundle have to wait that long, too. Publishing it again is safe:
 * NATS refuses a copy of a bundle that it already has.
 */
const publishTimeoutMs = 1_500;
const retryDelay = { minMs: 250, maxMs: 10_000, outageShare: 1 / 16 };

/**
 * Publishes bundles to the streams of their recipients, and logs each outage only once. A stream that is missing is
 * created by the service that consumes it.
 */
export class OutboxPublisher {
  readonly #options: PublisherOptions;
  #jetStream: JetStreamClient | undefined;
  #pendingAbort = new AbortController();
  #onResumed: () => void = () => undefined;
  /** When publishing to a group began to fail. */
  readonly #failingSinceMs = new Map<MessageGroup, number>();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Resolves with whether NATS has the bundle now, from this call or an earlier one. */
  async publish(bundle: Bundle): Promise<boolean> {
    try {
      await this.#send(bundle);
    } catch (error) {
      if (!isStillInStream(error)) return this.#noteFailure(bundle, error);
    }
    this.#noteSuccess(bundle);
    return true;
  }

  /** Calls back when publishing works again after it has failed. */
  onResumed(listener: () => void): void {
    this.#onResumed = listener;
  }

  /** Fails all pending publications; call it when the connection is lost, because their responses will not arrive. */
  failPending(): void {
    this.#pendingAbort.abort(new Error('connection to NATS lost'));
    this.#pendingAbort = new AbortController();
  }

  /**
   * Returns the delay before an unpublished row is retried, which grows with the length of the outage so far.
   * Counting attempts is not enough: during an outage many rows fail together.
   */
  retryDelayMs(group: MessageGroup): number {
    const failingMs = Date.now() - (this.#failingSinceMs.get(group) ?? Date.now());
    return Math.min(
      retryDelay.maxMs,
      Math.max(retryDelay.minMs, failingMs * retryDelay.outageShare),
    );
  }

  async #send({ id, group, messages }: Bundle): Promise<void> {
    const { connection, stream, source } = this.#options;
    this.#jetStream ??= connection.jetstream();
    const isAlone = messages[0]?.id === id;
    const subject = subjectOf(stream, { group, source, id });
    const published = this.#jetStream.publish(subject, encodeBundle({ messages }), {
      ...(isAlone ? { msgID: id } : {}),
      timeout: publishTimeoutMs,
      expect: { streamName: streamNameOf(stream, group) },
    });
    await raceAbort(published, this.#pendingAbort.signal);
  }

  #noteFailure({ group }: Bundle, error: unknown): false {
    const { logger, observer } = this.#options;
    if (!this.#failingSinceMs.has(group)) {
      this.#failingSinceMs.set(group, Date.now());
      logger.warn({ err: error, group }, 'cannot publish; messages stay in the outbox');
    }
    observer.publishFailed?.();
    return false;
  }

  #noteSuccess({ group, messages }: Bundle): void {
    const { logger, observer } = this.#options;
    for (const { publications } of messages) observer.published?.({ attempt: publications });
    const failingSinceMs = this.#failingSinceMs.get(group);
    if (failingSinceMs === undefined) return;
    logger.info({ afterMs: Date.now() - failingSinceMs, group }, 'publishing resumed');
    this.#failingSinceMs.delete(group);
    this.#onResumed();
  }
}

/** Reports whether the stream, which holds one message per subject, refused a copy of a message that it still has. */
function isStillInStream(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.api_error?.description === 'maximum messages per subject exceeded';
}
