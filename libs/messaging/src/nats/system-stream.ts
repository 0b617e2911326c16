import type { ServiceName } from '@daycare/contracts/access';
import {
  groupsOf,
  isMessageGroup,
  messageRoutes,
  type MessageGroup,
} from '@daycare/contracts/message-routes';

const dayMs = 24 * 60 * 60 * 1000;

/** The servers of a NATS cluster that store the streams. */
export interface StreamPlacement {
  readonly cluster?: string;
  readonly tags?: readonly string[];
}

export interface SystemStreamOptions {
  /** Prefix of every stream name and subject, so that installations can share a NATS server. */
  readonly prefix: string;
  /** How many NATS servers store a stream; by default three in a cluster, otherwise one. */
  readonly replicas?: number;
  readonly placement?: StreamPlacement;
  /** Over how many shards users are spread; see `shardOf`. */
  readonly shards?: number;
  /** How long NATS ignores further publications with the same id. Must be shorter than `republishAfterMs`. */
  readonly duplicateWindowMs?: number;
  readonly maxAgeMs?: number;
  /** Beyond this size NATS refuses publications, which then wait in the senders' outboxes. */
  readonly maxBytes?: number;
  /** How long a stream may be out of reach, while JetStream responds, before it is recreated. */
  readonly recreateAfterMs?: number;
}

type Optional = 'replicas' | 'placement';

/** How the streams of an installation are configured. Each service that consumes messages owns one of them. */
export type SystemStream = Required<Omit<SystemStreamOptions, Optional>> &
  Pick<SystemStreamOptions, Optional>;

/** Fills in the defaults; all services of an installation must use the same options. */
export function defineSystemStream(options: SystemStreamOptions): SystemStream {
  if (!isSubjectToken(options.prefix)) {
    throw new Error(
      `NATS prefix must be 1 to 128 letters, digits, "-" or "_", got "${options.prefix}"`,
    );
  }
  return {
    shards: 64,
    duplicateWindowMs: 10_000,
    maxAgeMs: 7 * dayMs,
    maxBytes: -1,
    recreateAfterMs: 120_000,
    ...options,
  };
}

/** Whom a message goes to: a service, or users' agents. */
export interface Addressee {
  readonly recipientService?: string;
}

/**
 * The recipient of closings, which end a tie in agents' inboxes. Closings may overtake messages to agents.
 */
export const inboxService = 'inboxes' satisfies MessageGroup;

/**
 * Returns a message's group. Messages of the same group may be published together. Throws if no service consumes
 * messages for this addressee.
 */
export function groupOf({ recipientService = 'agents' }: Addressee): MessageGroup {
  if (isMessageGroup(recipientService)) return recipientService;
  throw new Error(`no service receives messages for "${recipientService}"`);
}

/** Returns the name of the stream with a group's messages, which belongs to the service that consumes them. */
export function streamNameOf({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}-${messageRoutes[group].to}`;
}

/**
 * Returns the name of a group's durable, which differs for each incarnation of its stream. If a new durable had
 * the same name as a lost one, NATS might give it the lost one's position, and the new durable would skip messages.
 */
export function durableNameOf(group: MessageGroup, incarnation: string | undefined): string {
  return incarnation === undefined ? group : `${group}-${incarnation}`;
}

/** Returns the subject on which a service's replicas announce that they are replacing their stream. */
export function subjectOfReplacements({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}.replacing.${messageRoutes[group].to}`;
}

/** Returns all subjects that a group's stream stores. */
export function subjectsOfStream(stream: SystemStream, group: MessageGroup): string[] {
  return groupsOf(messageRoutes[group].to).map((sharing) => subjectsOfGroup(stream, sharing));
}

/** Returns a pattern that matches the subject of every message of a group. */
export function subjectsOfGroup({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}.messages.${group}.>`;
}

/**
 * Returns the subject of a bundle, or of a message that is published alone; each has its own. NATS lets a service
 * publish only to subjects that name it, so the consumer knows who sent a message.
 */
export function subjectOf(
  { prefix }: SystemStream,
  {
    group,
    source,
    id,
  }: { readonly group: MessageGroup; readonly source: string; readonly id: string },
): string {
  return `${prefix}.messages.${group}.${source}.${id}`;
}

/** Returns the sender that a message's subject names, or an empty string if it names none. */
export function senderIn(subject: string): string {
  const [, , , source, id] = subject.split('.');
  return source !== undefined && id !== undefined ? source : '';
}

/** Returns the subject of the receipts that a consumer sends to a service. */
export function subjectOfReceipts(
  { prefix }: SystemStream,
  { source, consumer }: { readonly source: string; readonly consumer: ServiceName | '*' },
): string {
  return `${prefix}.receipts.${source}.${consumer}`;
}

/** Returns the service that sent a receipt, which the receipt's subject names. */
export function consumerIn(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Reports whether a string may be used as one token of a NATS subject. */
export function isSubjectToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}
