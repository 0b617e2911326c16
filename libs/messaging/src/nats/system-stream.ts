import type { ServiceName } from '@daycare/contracts/access';
import {
  groupsOf,
  isMessageGroup,
  messageRoutes,
  type MessageGroup,
} from '@daycare/contracts/message-routes';

const dayMs = 24 * 60 * 60 * 1000;

/** On which servers of a NATS cluster the streams are stored. */
export interface StreamPlacement {
  readonly cluster?: string;
  readonly tags?: readonly string[];
}

export interface SystemStreamOptions {
  /** Prefix of every stream name and subject, so that installations can share a NATS server. */
  readonly prefix: string;
  /** How many NATS servers store a stream; by default three in a cluster. */
  readonly replicas?: number;
  readonly placement?: StreamPlacement;
  /** Over how many shards users are spread; see `shardOf`. */
  readonly shards?: number;
  /** How long NATS ignores further publications of an id. Must be shorter than `republishAfterMs`. */
  readonly duplicateWindowMs?: number;
  readonly maxAgeMs?: number;
  /** Beyond this size NATS refuses publications, which then wait in their outboxes. */
  readonly maxBytes?: number;
  /** How long a stream may be out of reach, while JetStream answers, before it is recreated. */
  readonly recreateAfterMs?: number;
}

type Optional = 'replicas' | 'placement';

/** How the streams of an installation are configured. Each service that consumes messages owns one. */
export type SystemStream = Required<Omit<SystemStreamOptions, Optional>> &
  Pick<SystemStreamOptions, Optional>;

/** Fills in the defaults; all services of an installation must use the same options. */
export function defineSystemStream(options: SystemStreamOptions): SystemStream {
  if (!isSubjectToken(options.prefix)) {
    throw new Error(`NATS prefix must be letters, digits, "-" or "_", got "${options.prefix}"`);
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

/** Whom a message goes to: a service, or agents of users. */
export interface Addressee {
  readonly recipientService?: string;
}

/**
 * The recipient of closings, which end a tie in the inboxes of agents. Closings overtake the messages for
 * agents.
 */
export const inboxService = 'inboxes' satisfies MessageGroup;

/** Messages with the same group may be published together. */
export function groupOf({ recipientService = 'agents' }: Addressee): MessageGroup {
  if (isMessageGroup(recipientService)) return recipientService;
  throw new Error(`no service receives messages for "${recipientService}"`);
}

/** The stream with the messages of a group; it belongs to the service that consumes them. */
export function streamNameOf({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}-${messageRoutes[group].to}`;
}

/**
 * The name of a group's durable, different for each incarnation of its stream. A new durable with the name of
 * a lost one might get the position of the lost one from NATS, and would then skip messages.
 */
export function durableNameOf(group: MessageGroup, incarnation: string | undefined): string {
  return incarnation === undefined ? group : `${group}-${incarnation}`;
}

/** Where a replica announces to the others of its service that it is replacing their stream. */
export function subjectOfReplacements({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}.replacing.${messageRoutes[group].to}`;
}

/** Everything that the stream of a group stores. */
export function subjectsOfStream(stream: SystemStream, group: MessageGroup): string[] {
  return groupsOf(messageRoutes[group].to).map((each) => subjectsOfGroup(stream, each));
}

/** Matches every message of a group. */
export function subjectsOfGroup({ prefix }: SystemStream, group: MessageGroup): string {
  return `${prefix}.messages.${group}.>`;
}

/**
 * The subject of a bundle, or of a message that is published alone: each has its own. NATS lets a service publish
 * only subjects that name it, so the consumer knows who has sent a message.
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

/** The sender that the subject of a message names; empty when there is none. */
export function senderIn(subject: string): string {
  const [, , , source, id] = subject.split('.');
  return source !== undefined && id !== undefined ? source : '';
}

/** The subject of the receipts that a consumer sends to a service. */
export function subjectOfReceipts(
  { prefix }: SystemStream,
  { source, consumer }: { readonly source: string; readonly consumer: ServiceName | '*' },
): string {
  return `${prefix}.receipts.${source}.${consumer}`;
}

/** The service that has sent a receipt, as its subject says. */
export function consumerIn(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Whether a text can be one token of a NATS subject. */
export function isSubjectToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}
