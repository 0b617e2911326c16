const dayMs = 24 * 60 * 60 * 1000;

export interface SystemStreamOptions {
  /** Prefix of every stream name and subject, so that installations can share a NATS. */
  readonly prefix: string;
  /** How many NATS servers store the stream. */
  readonly replicas?: number;
  /** Over how many shards users are spread; see `shardOf`. */
  readonly shards?: number;
  /** How long NATS ignores further publications of an id. Must be shorter than `republishAfterMs`. */
  readonly duplicateWindowMs?: number;
  readonly maxAgeMs?: number;
  /** Beyond this size NATS refuses publications, which then wait in their outboxes. */
  readonly maxBytes?: number;
}

/** The stream all services of an installation publish system messages to. */
export interface SystemStream extends Required<SystemStreamOptions> {
  readonly name: string;
}

/** Fills in the defaults; all services of an installation must use the same options. */
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

/** Whom a message goes to: a service, or agents of users. */
export interface Addressee {
  readonly recipientService?: string;
}

const agentsGroup = 'agents';

/** Where closings go: the service that keeps the inboxes of agents. They overtake the messages for agents. */
export const inboxService = 'inboxes';

/** Messages with the same group may be published together. */
export function groupOf({ recipientService = agentsGroup }: Addressee): string {
  return recipientService;
}

/** The subject of a bundle, or of a message that is published alone: each has its own. */
export function subjectOf(stream: SystemStream, group: string, id: string): string {
  return `${stream.prefix}.system.${group}.${id}`;
}

/** Matches every message for a service itself. */
export function subjectsOfService(stream: SystemStream, service: string): string {
  return subjectOf(stream, service, '*');
}

/** Matches every message for agents, of all users. */
export function subjectsOfAgents(stream: SystemStream): string {
  return subjectOf(stream, agentsGroup, '*');
}

/** The subject of the receipts for the messages of one service. */
export function subjectOfReceipts(stream: SystemStream, service: string): string {
  return `${stream.prefix}.receipts.${service}`;
}

/** Whether a text can be one token of a NATS subject. */
export function isSubjectToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}
