import type { Descriptor, DescriptorKind, DescriptorOf } from './descriptor';

export const agentRoles = ['user', 'subagent', 'cron', 'heartbeat'] as const;
export type AgentRole = (typeof agentRoles)[number];

export const agentStrategies = ['most-recent-foreground', 'heartbeat'] as const;
export type AgentStrategy = (typeof agentStrategies)[number];

/** Where a connector delivers an agent's answers. */
export interface ConnectorTarget {
  readonly connector: string;
  readonly connectorUserId: string;
  readonly channelId: string;
}

/** Everything that distinguishes one kind of agent from another. */
export interface DescriptorRow<K extends DescriptorKind> {
  /** Unique per user: two of a user's descriptors with the same key denote the same agent. */
  readonly key: (descriptor: DescriptorOf<K>) => string;
  /** A short name for people. */
  readonly label: (descriptor: DescriptorOf<K>) => string;
  readonly role: AgentRole;
  readonly foreground: boolean;
  /** The strategies that may select it. */
  readonly strategies: readonly AgentStrategy[];
  readonly connectorTarget: (descriptor: DescriptorOf<K>) => ConnectorTarget | undefined;
  /** Appended to the standard prompt; empty when there is nothing to append. */
  readonly prompt: (descriptor: DescriptorOf<K>) => string;
  /** The agent it reports to. */
  readonly parentAgentId: (descriptor: DescriptorOf<K>) => string | undefined;
  /**
   * Whether a person can end it. A gateway lives as long as its subuser, a cron's own agent as long as the cron, and
   * the agents of a connector's channels and of heartbeats as long as their user.
   */
  readonly canBeEnded: boolean;
  /** Whether people can change its name and prompt with `ConfigureAgent`. */
  readonly canBeRenamed: boolean;
}

const none = (): undefined => undefined;
const noPrompt = (): string => '';
const background = { foreground: false, strategies: [], connectorTarget: none } as const;
const withoutParent = { parentAgentId: none } as const;
/**
 * For gateways and the agents of channels and schedules: people can neither end them nor change their names and prompts
 * with `ConfigureAgent`. A gateway's name and prompt are changed through its subuser.
 */
const dependent = { canBeEnded: false, canBeRenamed: false } as const;
const independent = { canBeEnded: true, canBeRenamed: true } as const;

/** The kinds of agents. A new kind needs a row here, or the code does not compile. */
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
    prompt: noPrompt,
    ...withoutParent,
    ...dependent,
  },
  subuser: {
    ...background,
    ...withoutParent,
    ...dependent,
    key: ({ id }) => joinKey('subuser', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
  },
  permanent: {
    ...background,
    ...withoutParent,
    ...independent,
    key: ({ id }) => joinKey('permanent', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
  },
  app: {
    ...background,
    ...independent,
    key: ({ id }) => joinKey('app', id),
    label: nameOrId,
    role: 'user',
    prompt: ({ systemPrompt }) => systemPrompt,
    parentAgentId: ({ parentAgentId }) => parentAgentId,
  },
  subagent: {
    ...background,
    canBeEnded: true,
    canBeRenamed: false,
    key: ({ id }) => joinKey('subagent', id),
    label: nameOrId,
    role: 'subagent',
    prompt: noPrompt,
    parentAgentId: ({ parentAgentId }) => parentAgentId,
  },
  cron: {
    ...background,
    ...withoutParent,
    ...dependent,
    key: ({ id }) => joinKey('cron', id),
    label: ({ id }) => `cron:${id}`,
    role: 'cron',
    prompt: noPrompt,
  },
  heartbeat: {
    ...background,
    ...withoutParent,
    ...dependent,
    key: ({ userId }) => joinKey('heartbeat', userId),
    label: () => 'heartbeat',
    role: 'heartbeat',
    strategies: ['heartbeat'],
    prompt: noPrompt,
  },
};

/** Returns a descriptor's key, which is unique among a user's agents. */
export function keyOf<K extends DescriptorKind>(descriptor: DescriptorOf<K>): string {
  return rowOf(descriptor).key(descriptor);
}

/** Returns the key of a subuser's gateway. */
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

/** Reports whether a person can end agents of this kind. */
export function canBeEnded(kind: DescriptorKind): boolean {
  return descriptorKinds[kind].canBeEnded;
}

/** Reports whether people can change the name and prompt of agents of this kind with `ConfigureAgent`. */
export function canBeRenamed(kind: DescriptorKind): boolean {
  return descriptorKinds[kind].canBeRenamed;
}

/** Reports whether a strategy may select agents of this kind. */
export function matchesStrategy(kind: DescriptorKind, strategy: AgentStrategy): boolean {
  return descriptorKinds[kind].strategies.includes(strategy);
}

export function connectorTargetOf<K extends DescriptorKind>(
  descriptor: DescriptorOf<K>,
): ConnectorTarget | undefined {
  return rowOf(descriptor).connectorTarget(descriptor);
}

/**
 * Returns the connector whose client receives the agent's records: the one that the agent's channel belongs to, if
 * `client`, the client that may act for the user, has the same name. Otherwise no client receives them.
 */
export function feedOf(descriptor: Descriptor, client: string | undefined): { feed?: string } {
  const connector = connectorTargetOf(descriptor)?.connector;
  return connector !== undefined && connector === client ? { feed: connector } : {};
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

/** The separator is escaped inside the parts, so that different parts never yield the same key. */
function joinKey(...parts: readonly string[]): string {
  return parts
    .map((part) => `/${part.replace(/[%/]/g, (character) => encodeURIComponent(character))}`)
    .join('');
}

function nameOrId({ kind, id, name }: { kind: string; id: string; name: string }): string {
  return name.trim() === '' ? `${kind}:${id}` : name;
}
