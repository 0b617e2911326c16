import { randomUUID } from 'node:crypto';
import { headers, NatsError, type JetStreamClient, type NatsConnection } from 'nats';
import { raceAbort } from '@daycare/async';
import { ensureSystemStream } from '../nats/ensure-stream';
import type { MessagingLogger } from '../shared/logger';
import { headerNames } from '../nats/message-headers';
import type { MessagingObserver } from '../shared/observer';
import { encodeBundle, type Bundle } from './bundles';
import { subjectOf, type SystemStream } from '../nats/system-stream';

export interface PublisherOptions {
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  readonly source: string;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
}

const publishTimeoutMs = 5_000;
const retryDelay = { minMs: 250, maxMs: 10_000 };

/** Publishes bundles to the stream, creates the stream when it is missing, and logs an outage once. */
export class OutboxPublisher {
  readonly #options: PublisherOptions;
  readonly #jetStream: JetStreamClient;
  #connected = new AbortController();
  #failingSinceMs: number | undefined;
  #ensuring: Promise<void> | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#jetStream = options.connection.jetstream();
  }

  /**
   * Publishes a bundle under a new id, or a single message under its own: NATS refuses a further copy of
   * that while it has one. Resolves with whether NATS has it now.
   */
  async publish(bundle: Bundle, messageId?: string): Promise<boolean> {
    try {
      await this.#send(bundle, messageId);
    } catch (error) {
      if (!isStillInStream(error)) return this.#noteFailure(error);
    }
    this.#noteSuccess(bundle);
    return true;
  }

  /** Fails all pending publications: a lost connection will not bring their answers. */
  failPending(): void {
    this.#connected.abort(new Error('connection to NATS lost'));
    this.#connected = new AbortController();
  }

  /**
   * The delay before an unpublished row is retried; half as long as the outage so far. An attempt
   * count would not do: during an outage many rows fail together.
   */
  retryDelayMs(): number {
    const failingMs = Date.now() - (this.#failingSinceMs ?? Date.now());
    return Math.min(retryDelay.maxMs, Math.max(retryDelay.minMs, failingMs / 2));
  }

  /** Creates the stream if it is missing. Never rejects: the next publication shows whether it worked. */
  async ensureStream(): Promise<void> {
    const { connection, stream, logger } = this.#options;
    this.#ensuring ??= ensureSystemStream(connection, stream)
      .catch((error: unknown) =>
        logger.warn(
          { err: error },
          'cannot create the system stream; retrying with the next message',
        ),
      )
      .finally(() => (this.#ensuring = undefined));
    await this.#ensuring;
  }

  async #send(bundle: Bundle, messageId: string | undefined): Promise<void> {
    const { stream, source } = this.#options;
    const sent = headers();
    sent.set(headerNames.source, source);
    const subject = subjectOf(stream, bundle.group, messageId ?? randomUUID());
    const published = this.#jetStream.publish(subject, encodeBundle(bundle), {
      ...(messageId === undefined ? {} : { msgID: messageId }),
      headers: sent,
      timeout: publishTimeoutMs,
      expect: { streamName: stream.name },
    });
    await raceAbort(published, this.#connected.signal);
  }

  async #noteFailure(error: unknown): Promise<false> {
    const { logger, observer } = this.#options;
    if (this.#failingSinceMs === undefined) {
      this.#failingSinceMs = Date.now();
      logger.warn({ err: error }, 'cannot publish; messages stay in the outbox');
    }
    observer.publishFailed?.();
    if (isStreamMissing(error)) await this.ensureStream();
    return false;
  }

  #noteSuccess({ messages }: Bundle): void {
    const { logger, observer } = this.#options;
    for (const { publications } of messages) observer.published?.({ attempt: publications });
    if (this.#failingSinceMs === undefined) return;
    logger.info({ afterMs: Date.now() - this.#failingSinceMs }, 'publishing resumed');
    this.#failingSinceMs = undefined;
  }
}

/** The stream holds one message per subject and so refuses a copy of a message it still has. */
function isStillInStream(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.api_error?.description === 'maximum messages per subject exceeded';
}

/** Nothing is subscribed to the subject: there is no such stream, or JetStream is not up. */
function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.code === '503' && error.api_error === undefined;
}
