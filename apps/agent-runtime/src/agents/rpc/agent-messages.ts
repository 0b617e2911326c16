import {
  AgentLifecycle,
  AgentRole,
  AgentStrategy,
  DescriptorKind,
  type Agent as AgentMessage,
  type Descriptor as DescriptorMessage,
  type GetAgentRequest,
  type ToolPolicy as ToolPolicyMessage,
} from '@daycare/contracts/agent-runtime';
import { enumOf, findWord, type EnumWord } from '@daycare/contracts/enum-words';
import { invalidField, isTrust, trustLevels, type Trust } from '@daycare/api';
import { requireWord } from '@daycare/rpc';
import type {
  Descriptor,
  DescriptorKind as DomainKind,
  DescriptorOf,
} from '../domain/descriptor/descriptor';
import {
  labelOf,
  roleOf,
  type AgentStrategy as DomainStrategy,
} from '../domain/descriptor/descriptor-kinds';
import type { AgentView } from '../usecases/describe-agents';
import { verdicts, type ToolPolicy, type Verdict } from '../domain/tool-rules';
import type { CreatableKind } from '../usecases/create-agent';
import type { AgentSelector } from '../usecases/get-agent';

const strategies: Readonly<Record<EnumWord<typeof AgentStrategy>, DomainStrategy>> = {
  most_recent_foreground: 'most-recent-foreground',
  heartbeat: 'heartbeat',
};

export function toAgentMessage(view: AgentView): AgentMessage {
  const { agent, lifecycle, usage, contextTokens, inboxCount, lastSequence, updatedAt } = view;
  const { id, userId, descriptor, foreground, createdAt } = agent;
  return {
    id,
    userId,
    descriptor: toDescriptorMessage(descriptor),
    label: labelOf(descriptor),
    role: enumOf(AgentRole, roleOf(descriptor)),
    lifecycle: enumOf(AgentLifecycle, lifecycle),
    foreground,
    provider: view.model.provider,
    model: view.model.id,
    grantedPermissions: [...view.permissions],
    usage,
    contextTokens,
    inboxCount,
    lastSequence,
    createdAt,
    updatedAt,
    lastUserActivityAt: agent.lastUserActivityAt,
    waiting: view.waiting,
    toolPolicy: agent.toolPolicy && toPolicyMessage(agent.toolPolicy),
  };
}

/** Returns undefined when the caller omitted the descriptor. */
export function readDescriptor(message: DescriptorMessage | undefined): Descriptor | undefined {
  const given = message?.kind;
  if (!given) return undefined;
  return { kind: given.$case, ...given.value } as Descriptor;
}

export function readKinds(wanted: readonly DescriptorKind[]): DomainKind[] {
  return [
    ...new Set(wanted.map((kind, index) => requireWord(DescriptorKind, kind, `kinds[${index}]`))),
  ];
}

/** Returns undefined for a kind that people cannot create. */
export function readCreatableKind(kind: DescriptorKind): CreatableKind | undefined {
  const word = findWord(DescriptorKind, kind);
  return word === 'permanent' || word === 'app' ? word : undefined;
}

const maxRules = 200;

export function readToolPolicy({ rules }: ToolPolicyMessage): ToolPolicy {
  if (rules.length > maxRules)
    throw invalidField('tool_policy.rules', `must have at most ${maxRules} entries`);
  const read: Record<string, Partial<Record<Trust, Verdict>>> = {};
  rules.forEach(({ tool, trust, verdict: word }, index) => {
    const path = `tool_policy.rules[${index}]`;
    const verdict = verdicts.find((each) => each === word);
    if (!isTrust(trust))
      throw invalidField(`${path}.trust`, `must be one of ${trustLevels.join(', ')}`);
    if (!verdict) throw invalidField(`${path}.verdict`, `must be one of ${verdicts.join(', ')}`);
    read[tool] = { ...read[tool], [trust]: verdict };
  });
  return { rules: read };
}

function toPolicyMessage({ rules, isPrivate = false }: ToolPolicy): ToolPolicyMessage {
  const ruleMessages = Object.entries(rules).flatMap(([tool, byTrust]) =>
    Object.entries(byTrust).map(([trust, verdict]) => ({ tool, trust, verdict })),
  );
  return { rules: ruleMessages, private: isPrivate };
}

export function readSelector({ selector }: GetAgentRequest): AgentSelector {
  if (!selector) throw invalidField('selector', 'is required');
  if (selector.$case === 'agentId') return { kind: 'id', agentId: selector.value };
  const word = requireWord(AgentStrategy, selector.value, 'strategy');
  return { kind: 'strategy', strategy: strategies[word] };
}

function toDescriptorMessage<K extends DomainKind>(descriptor: DescriptorOf<K>): DescriptorMessage {
  const { kind, ...value } = descriptor;
  return { kind: { $case: kind, value } as DescriptorMessage['kind'] & object };
}
