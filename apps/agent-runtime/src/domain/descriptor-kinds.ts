import type { Descriptor, DescriptorKind, DescriptorOf } from './descriptor';

export const agentRoles = ['user', 'subagent', 'cron', 'heartbeat'] as const;
export type AgentRole = (typeof agentRoles)[number];

export const agentStrategies = ['most-recent-foreground', 'heartbeat'] as const;
export type AgentStrategy = (typeof agentStrategies)[number];

/** Where a connector delivers what an agent says. */
export interface ConnectorTarget {
  readonly connector: string;
  readonly connectorUserId: string;
  readonly channelId: string;
}

/** Everything in which one kind of agent differs from another. */
export interface DescriptorRow<K extends DescriptorKind> {
  /** Unique per user: descriptors with the same key are the same agent. */
  readonly key: (descriptor: DescriptorOf<K>) => string;
  /** Short text for people. */
  readonly label: (descriptor: DescriptorOf<K>) => string;
  readonly role: AgentRole;
  readonly foreground: boolean;
  /** The strategies that may choose it. */
  readonly strategies: readonly AgentStrategy[];
  readonly connectorTarget: (descriptor: DescriptorOf<K>) => ConnectorTarget | undefined;
  /** Appended to the standard prompt; empty when there is nothing to append. */
  readonly prompt: (descriptor: DescriptorOf<K>) => string;
  /** The agent that it reports to. */
  readonly parentAgentId: (descriptor: DescriptorOf<K>) => string | undefined;
}

const none = (): undefined => undefined;
const nothing = (): string => '';
const background = { foreground: false, strategies: [], connectorTarget: none } as const;
const orphan = { parentAgentId: none } as const;

/** The kinds of agents. A new kind is a new row; it does not compile without one. */
export const descriptorKinds: { readonly [K in DescriptorKind]: DescriptorRow<K> } = {
  user: {
    key: ({ connector, connectorUserId, channelId }) =>
      joinKey('connectors', connector, connectorUserId, channelId),
    label: ({ connector, connectorUserId, channelId }) =>
      `${connector}:${connectorUserId}${channelId === connectorUserId ? '' : `#${channelId}`}`,
    role: 'user',
    foreground: true,
    strategies: ['most-recent-foreground'],
    connectorTarget: ({ connector, connectorUserId, channelId }) => ({
      connector,
      connectorUserId,
      channelId,
    }),
    prompt: nothing,
    ...orphan,
  },
  subuser: {
    ...background,
    ...orphan,
    key: ({ id }) => joinKey('subuser', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
  },
  permanent: {
    ...background,
    ...orphan,
    key: ({ id }) => joinKey('permanent', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
  },
  app: {
    ...background,
    key: ({ id }) => joinKey('app', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
    parentAgentId: ({ parentAgentId }) => parentAgentId,
  },
  subagent: {
    ...background,
    key: ({ id }) => joinKey('subagent', id),
    label: nameOrId,
    role: 'subagent',
    prompt: nothing,
    parentAgentId: ({ parentAgentId }) => parentAgentId,
  },
  cron: {
    ...background,
    ...orphan,
    key: ({ id }) => joinKey('cron', id),
    label: ({ id }) => `cron:${id}`,
    role: 'cron',
    prompt: nothing,
  },
  heartbeat: {
    ...background,
    ...orphan,
    key: ({ userId }) => joinKey('heartbeat', userId),
    label: () => 'heartbeat',
    role: 'heartbeat',
    strategies: ['heartbeat'],
    prompt: nothing,
  },
};

/** The cache key: unique among the agents of one user. */
export function keyOf<K extends DescriptorKind>(descriptor: DescriptorOf<K>): string {
  return rowOf(descriptor).key(descriptor);
}

/** The key of a subuser's gateway. */
export function gatewayKey(userId: string): string {
  return keyOf({ kind: 'subuser', id: userId, name: '', systemPrompt: '' });
}

export function labelOf<K extends DescriptorKind>(descriptor: DescriptorOf<K>): string {
  return rowOf(descriptor).label(descriptor);
}

export function roleOf({ kind }: Pick<Descriptor, 'kind'>): AgentRole {
  return descriptorKinds[kind].role;
}

export function isForeground(kind: DescriptorKind): boolean {
  return descriptorKinds[kind].foreground;
}

/** Whether a strategy may choose agents of this kind. */
export function matchesStrategy(kind: DescriptorKind, strategy: AgentStrategy): boolean {
  return descriptorKinds[kind].strategies.includes(strategy);
}

export function connectorTargetOf<K extends DescriptorKind>(
  descriptor: DescriptorOf<K>,
): ConnectorTarget | undefined {
  return rowOf(descriptor).connectorTarget(descriptor);
}

export function promptOf<K extends DescriptorKind>(descriptor: DescriptorOf<K>): string {
  return rowOf(descriptor).prompt(descriptor);
}

export function parentOf<K extends DescriptorKind>(
  descriptor: DescriptorOf<K>,
): string | undefined {
  return rowOf(descriptor).parentAgentId(descriptor);
}

function rowOf<K extends DescriptorKind>({ kind }: { readonly kind: K }): DescriptorRow<K> {
  return descriptorKinds[kind];
}

/** The separator is escaped inside the parts, so that different parts never give the same key. */
function joinKey(...parts: readonly string[]): string {
  return parts
    .map((part) => `/${part.replace(/[%/]/g, (sign) => encodeURIComponent(sign))}`)
    .join('');
}

function nameOrId({ kind, id, name }: { kind: string; id: string; name: string }): string {
  return name.trim() === '' ? `${kind}:${id}` : name;
}
