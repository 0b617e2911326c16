import type { Agent } from '../domain/agent';
import type { Descriptor } from '../domain/descriptor';
import { isForeground } from '../domain/descriptor-kinds';
import type { ToolContext } from '../tools/tool';

const atFirst = new Date('2026-11-15T10:00:00Z');

const channel: Descriptor = {
  kind: 'user',
  connector: 'cli',
  connectorUserId: 'me',
  channelId: 'me',
};

/** An agent that is stored nowhere. */
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
    provider: 'local',
    model: 'echo',
    createdAt: atFirst,
    lastActiveAt: atFirst,
    lastUserActivityAt: undefined,
    diedAt: undefined,
    ...overrides,
  };
}

/** A call of a tool by an agent, out of a turn that a person began. */
export function testContext(agent: Agent, overrides: Partial<ToolContext> = {}): ToolContext {
  const { signal } = new AbortController();
  return { agent, requestId: 'request1', hops: 0, signal, ...overrides };
}
