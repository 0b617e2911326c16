import { shardOf } from './shard-of';

const dayMs = 24 * 60 * 60 * 1000;

export interface SystemStreamOptions {
  /** Prefix of every stream name and subject, so that installations can share a NATS. */
  readonly prefix: string;
  /** How many NATS servers keep the stream. */
  readonly replicas?: number;
  /** Over how many subjects users are spread; see `shardOf`. */
  readonly shards?: number;
  /** How long NATS swallows a second publication of an id. Must be shorter than `republishAfterMs`. */
  readonly duplicateWindowMs?: number;
  readonly maxAgeMs?: number;
  /** Beyond this size NATS refuses publications and they wait in their outboxes. */
  readonly maxBytes?: number;
}

/** The stream all services of an installation publish system messages to. */
export interface SystemStream extends Required<SystemStreamOptions> {
  readonly name: string;
}

/** Fills in the defaults; the services of an installation must all be given the same options. */
export function defineSystemStream(options: SystemStreamOptions): SystemStream {
  if (!isSubjectToken(options.prefix)) {
    throw new Error(`NATS prefix must be letters, digits, "-" or "_", got "${options.prefix}"`);
  }
  return {
    replicas: 1,
    shards: 64,
    duplicateWindowMs: 10_000,
    maxAgeMs: 7 * dayMs,
    maxBytes: -1,
    ...options,
    name: `${options.prefix}-system`,
  };
}

/** Who a message is for, as far as its subject tells. */
export interface Addressee {
  readonly recipientUserId: string;
  readonly recipientService?: string;
}

/**
 * Where a message is published: one subject per message, grouped by the recipient's shard, or by the
 * service it is for.
 */
export function subjectOfMessage(
  stream: SystemStream,
  { recipientUserId, recipientService }: Addressee,
  messageId: string,
): string {
  const group = recipientService ?? shardOf(recipientUserId, stream.shards);
  return `${stream.prefix}.system.${group}.${messageId}`;
}

/** Matches every message to a service itself. */
export function subjectsOfService(stream: SystemStream, service: string): string {
  return `${stream.prefix}.system.${service}.*`;
}

/** Matches every message to the users of one shard. */
export function subjectsOfShard(stream: SystemStream, shard: number): string {
  return `${stream.prefix}.system.${shard}.*`;
}

/** Where the receipts for the messages of one service are published. */
export function subjectOfReceipts(stream: SystemStream, service: string): string {
  return `${stream.prefix}.receipts.${service}`;
}

/** Whether a text can be one part of a NATS subject as we use them. */
export function isSubjectToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}
