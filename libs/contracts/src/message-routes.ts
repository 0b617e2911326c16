import type { ServiceName } from './access';

/** What messages may be addressed to: agents, agents' inboxes, or a service itself. */
export const messageGroups = [
  'agents',
  'inboxes',
  'social-graph',
  'agent-runtime',
  'topology',
] as const;
export type MessageGroup = (typeof messageGroups)[number];

export interface MessageRoute {
  /** The service that owns the stream with these messages, consumes them and sends the receipts. */
  readonly to: ServiceName;
  /** The services that may send them. */
  readonly from: readonly ServiceName[];
}

/**
 * Who sends messages to whom. The NATS server's accounts are generated from this table, and consumers check every
 * message against it.
 */
export const messageRoutes: Readonly<Record<MessageGroup, MessageRoute>> = {
  agents: { to: 'agent-runtime', from: ['social-graph', 'agent-runtime', 'topology'] },
  inboxes: { to: 'agent-runtime', from: ['social-graph'] },
  'social-graph': { to: 'social-graph', from: ['identity', 'agent-runtime'] },
  'agent-runtime': { to: 'agent-runtime', from: ['identity'] },
  topology: { to: 'topology', from: ['identity', 'agent-runtime'] },
};

export interface HintRoute {
  /** The NATS subject, without the installation's prefix. */
  readonly subject: string;
  readonly from: readonly ServiceName[];
  readonly to: ServiceName;
}

const everyService = ['identity', 'social-graph', 'agent-runtime', 'topology'] as const;

const consumers = everyService.filter((service) => groupsOf(service).length > 0);

/** Hints: messages over plain NATS that may get lost. */
export const hintRoutes: readonly HintRoute[] = [
  { subject: 'changed.*', from: everyService, to: 'topology' },
  { subject: 'gateway.*', from: ['agent-runtime'], to: 'social-graph' },
  { subject: 'endpoints', from: ['topology'], to: 'topology' },
  ...['live.*.*', 'feed-permissions.*', 'permissions.*', 'wake.*', 'interrupts', 'shards'].map(
    (subject): HintRoute => ({ subject, from: ['agent-runtime'], to: 'agent-runtime' }),
  ),
  // One replica of a service announces to the others that it is replacing their stream.
  ...consumers.map((service): HintRoute => ({
    subject: `replacing.${service}`,
    from: [service],
    to: service,
  })),
];

/** Returns the groups whose messages a service consumes. */
export function groupsOf(service: ServiceName): readonly MessageGroup[] {
  return messageGroups.filter((group) => messageRoutes[group].to === service);
}

export function isMessageGroup(text: string): text is MessageGroup {
  return messageGroups.some((group) => group === text);
}
