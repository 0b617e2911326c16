import { headers, NatsError, type JetStreamClient, type NatsConnection } from 'nats';
import { ensureSystemStream } from './ensure-stream';
import type { MessagingLogger } from './logger';
import { headerNames } from './message-headers';
import type { MessagingObserver } from './observer';
import type { OutboxRow } from './outbox-row';
import { subjectOfMessage, type SystemStream } from './system-stream';

export interface PublisherOptions {
  readonly connection: NatsConnection;
  readonly stream: SystemStream;
  readonly source: string;
  readonly logger: MessagingLogger;
  readonly observer: MessagingObserver;
}

const publishTimeoutMs = 5_000;
const retryDelay = { minMs: 250, maxMs: 10_000 };

/** Puts rows on the stream, creates the stream when it is missing, and reports an outage once. */
export class OutboxPublisher {
  readonly #options: PublisherOptions;
  readonly #jetStream: JetStreamClient;
  readonly #waiting = new Set<(reason: Error) => void>();
  #failingSinceMs: number | undefined;
  #ensuring: Promise<void> | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#jetStream = options.connection.jetstream();
  }

  /** Whether NATS now has the message, be it from an earlier publication. */
  async publish(row: OutboxRow): Promise<boolean> {
    try {
      await this.#send(row);
    } catch (error) {
      if (!isStillInStream(error)) return this.#noteFailure(error);
    }
    this.#noteSuccess(row);
    return true;
  }

  /** Fails at once what waits for answers that a lost connection cannot bring any more. */
  giveUpWaiting(): void {
    for (const fail of this.#waiting) fail(new Error('connection to NATS lost'));
  }

  /** How long a row that could not be published should wait: longer, the longer nothing works. */
  retryDelayMs(): number {
    const failingMs = Date.now() - (this.#failingSinceMs ?? Date.now());
    return Math.min(retryDelay.maxMs, Math.max(retryDelay.minMs, failingMs / 2));
  }

  /** Creates the stream if need be. Never rejects: a publication will show whether it worked. */
  async ensureStream(): Promise<void> {
    const { connection, stream, logger } = this.#options;
    this.#ensuring ??= ensureSystemStream(connection, stream)
      .catch((error: unknown) => logger.warn({ err: error }, 'cannot create the system stream'))
      .finally(() => (this.#ensuring = undefined));
    await this.#ensuring;
  }

  async #send(row: OutboxRow): Promise<void> {
    const { stream, source } = this.#options;
    const sent = headers();
    sent.set(headerNames.source, source);
    if (row.traceparent) sent.set(headerNames.traceparent, row.traceparent);
    const subject = subjectOfMessage(stream, row, row._id);
    const answer = this.#jetStream.publish(subject, row.payload.buffer, {
      msgID: row._id,
      headers: sent,
      timeout: publishTimeoutMs,
      expect: { streamName: stream.name },
    });
    await this.#unlessGivenUp(answer);
  }

  async #unlessGivenUp(answer: Promise<unknown>): Promise<void> {
    let giveUp: (reason: Error) => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
    this.#waiting.add(giveUp);
    try {
      await Promise.race([answer, givenUp]);
    } finally {
      this.#waiting.delete(giveUp);
    }
  }

  async #noteFailure(error: unknown): Promise<false> {
    const { logger, observer } = this.#options;
    if (this.#failingSinceMs === undefined) {
      this.#failingSinceMs = Date.now();
      logger.warn({ err: error }, 'cannot publish; messages wait in the outbox');
    }
    observer.publishFailed?.();
    if (isStreamMissing(error)) await this.ensureStream();
    return false;
  }

  #noteSuccess({ publications }: OutboxRow): void {
    const { logger, observer } = this.#options;
    observer.published?.({ attempt: publications });
    if (this.#failingSinceMs === undefined) return;
    logger.info({ afterMs: Date.now() - this.#failingSinceMs }, 'publishing again');
    this.#failingSinceMs = undefined;
  }
}

/** The stream's rule of one message per subject refuses a copy of a message that still waits in it. */
function isStillInStream(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.api_error?.description === 'maximum messages per subject exceeded';
}

/** Nobody listens on the subject: there is no such stream, or JetStream is not up. */
function isStreamMissing(error: unknown): boolean {
  return error instanceof NatsError && error.code === '503' && error.api_error === undefined;
}
