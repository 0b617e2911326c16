import {
  AgentLifecycle,
  AgentRole,
  AgentStrategy,
  DescriptorKind,
  InboxItemKind,
  type Agent as AgentMessage,
  type AgentSummary,
  type DeadLetter as DeadLetterMessage,
  type Descriptor as DescriptorMessage,
  type GatewayAgent,
  type GetAgentRequest,
} from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/errors';
import type { Lifecycle } from '../domain/agent';
import type { DeadLetter } from '../domain/dead-letter';
import type { Descriptor, DescriptorKind as DomainKind, DescriptorOf } from '../domain/descriptor';
import {
  labelOf,
  roleOf,
  type AgentRole as DomainRole,
  type AgentStrategy as DomainStrategy,
} from '../domain/descriptor-kinds';
import type { InboxItemKind as DomainItemKind } from '../domain/inbox-item';
import type { AgentView } from '../usecases/describe-agents';
import type { AgentSelector } from '../usecases/get-agent';
import type { ScopedAgent } from '../usecases/list-scope';

const lifecycles: Record<Lifecycle, AgentLifecycle> = {
  active: AgentLifecycle.ACTIVE,
  sleeping: AgentLifecycle.SLEEPING,
  dead: AgentLifecycle.DEAD,
};

const roles: Record<DomainRole, AgentRole> = {
  user: AgentRole.USER,
  subagent: AgentRole.SUBAGENT,
  cron: AgentRole.CRON,
  heartbeat: AgentRole.HEARTBEAT,
};

const kinds: Record<DomainKind, DescriptorKind> = {
  user: DescriptorKind.USER,
  subuser: DescriptorKind.SUBUSER,
  permanent: DescriptorKind.PERMANENT,
  app: DescriptorKind.APP,
  subagent: DescriptorKind.SUBAGENT,
  cron: DescriptorKind.CRON,
  heartbeat: DescriptorKind.HEARTBEAT,
};

const itemKinds: Record<DomainItemKind, InboxItemKind> = {
  message: InboxItemKind.MESSAGE,
  system_message: InboxItemKind.SYSTEM_MESSAGE,
  permission_decision: InboxItemKind.PERMISSION_DECISION,
  reset: InboxItemKind.RESET,
};

const strategies: Partial<Record<AgentStrategy, DomainStrategy>> = {
  [AgentStrategy.MOST_RECENT_FOREGROUND]: 'most-recent-foreground',
  [AgentStrategy.HEARTBEAT]: 'heartbeat',
};

export function toAgentMessage(view: AgentView): AgentMessage {
  const { agent, lifecycle, usage, contextTokens, inboxCount, lastSequence, updatedAt } = view;
  const { id, userId, descriptor, foreground, provider, model, createdAt } = agent;
  return {
    id,
    userId,
    descriptor: toDescriptorMessage(descriptor),
    label: labelOf(descriptor),
    role: roles[roleOf(descriptor)],
    lifecycle: lifecycles[lifecycle],
    foreground,
    provider,
    model,
    grantedPermissions: [...(agent.grantedPermissions ?? [])],
    usage,
    contextTokens,
    inboxCount,
    lastSequence,
    createdAt,
    updatedAt,
    lastUserActivityAt: agent.lastUserActivityAt,
  };
}

export function toSummary({ agent, lifecycle }: ScopedAgent): AgentSummary {
  const { id, userId, kind, label } = agent;
  return { id, userId, kind: kinds[kind], label, lifecycle: lifecycles[lifecycle] };
}

export function toGateway({ agent, lifecycle }: ScopedAgent): GatewayAgent {
  return { userId: agent.userId, agentId: agent.id, lifecycle: lifecycles[lifecycle] };
}

export function toDeadLetterMessage({ kind, ...letter }: DeadLetter): DeadLetterMessage {
  const { id, userId, agentId, messageId, origin, text, reason, attempts } = letter;
  const { acceptedAt, deadAt } = letter;
  const facts = { id, userId, agentId, messageId, origin, text, reason, attempts };
  return { ...facts, kind: itemKinds[kind], acceptedAt, deadAt };
}

/** Undefined when the caller left it out. */
export function readDescriptor(message: DescriptorMessage | undefined): Descriptor | undefined {
  const given = message?.kind;
  if (!given) return undefined;
  return { kind: given.$case, ...given.value } as Descriptor;
}

export function readKinds(wanted: readonly DescriptorKind[]): DomainKind[] {
  const read = wanted.map((one, index) => {
    const found = Object.entries(kinds).find(([, kind]) => kind === one);
    if (found) return found[0] as DomainKind;
    throw refused(`kinds[${index}]`, 'is not a kind of descriptor');
  });
  return [...new Set(read)];
}

export function readSelector({ selector }: GetAgentRequest): AgentSelector {
  if (!selector) throw refused('selector', 'is required');
  if (selector.$case === 'agentId') return { kind: 'id', agentId: selector.value };
  const strategy = strategies[selector.value];
  if (strategy) return { kind: 'strategy', strategy };
  throw refused('strategy', 'is not a strategy');
}

function refused(field: string, description: string): AppError {
  const fields = [{ field, description }];
  return new AppError('INVALID_ARGUMENT', `${field} ${description}`, { fields });
}

function toDescriptorMessage<K extends DomainKind>(descriptor: DescriptorOf<K>): DescriptorMessage {
  const { kind, ...value } = descriptor;
  return { kind: { $case: kind, value } as DescriptorMessage['kind'] & object };
}
