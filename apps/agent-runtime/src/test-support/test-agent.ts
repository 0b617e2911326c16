import type { Agent } from '../agents/domain/agent';
import type { Descriptor } from '../agents/domain/descriptor';
import { isForeground } from '../agents/domain/descriptor-kinds';
import { startedByPerson } from '../agents/domain/started-by';
import type { ToolContext } from '../tools/registry/tool';

const atFirst = new Date('2026-11-15T10:00:00Z');

const channel: Descriptor = {
  kind: 'user',
  connector: 'cli',
  connectorUserId: 'me',
  channelId: 'me',
};

/** An agent that is not stored. */
export function testAgent(overrides: Partial<Agent> = {}): Agent {
  const { descriptor = channel } = overrides;
  return {
    id: 'agent1',
    userId: 'user1',
    ownerUserId: undefined,
    kind: descriptor.kind,
    descriptor,
    foreground: isForeground(descriptor.kind),
    shard: 0,
    createdAt: atFirst,
    lastActiveAt: atFirst,
    lastUserActivityAt: undefined,
    diedAt: undefined,
    ...overrides,
  };
}

/** A tool call by an agent, from a turn that a person started. */
export function testContext(agent: Agent, overrides: Partial<ToolContext> = {}): ToolContext {
  const { signal } = new AbortController();
  const turn = {
    hops: 0,
    trust: 'person',
    readPrivate: false,
    startedBy: startedByPerson,
  } as const;
  return { agent, requestId: 'request1', ...turn, signal, ...overrides };
}
