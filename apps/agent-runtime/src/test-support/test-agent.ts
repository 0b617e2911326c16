import { createId } from '@daycare/api/create-id';
import type { AgentStore } from '../agents/store/agent-store';
import type { HistoryStore } from '../agents/store/history-store';
import { firstEntry } from '../agents/domain/history-entry';
import type { Agent } from '../agents/domain/agent';
import type { Descriptor } from '../agents/domain/descriptor/descriptor';
import { isForeground, keyOf } from '../agents/domain/descriptor/descriptor-kinds';
import { startedByPerson } from '../agents/domain/started-by';
import type { ToolContext } from '../tools/registry/tool';

const testStart = new Date('2026-11-15T10:00:00Z');

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
    createdAt: testStart,
    lastActiveAt: testStart,
    lastUserActivityAt: undefined,
    diedAt: undefined,
    ...overrides,
  };
}

/** The context of an agent's tool call in a turn that a person started. */
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

/** A descriptor with a channel that no other agent has. */
export const newChannel = (): Descriptor => ({
  kind: 'user',
  connector: 'cli',
  connectorUserId: 'me',
  channelId: createId(),
});

/** Stores an agent and starts its history. */
export async function makeAgent(
  { agents, history }: { readonly agents: AgentStore; readonly history: HistoryStore },
  descriptor: Descriptor,
  userId: string,
  ownerUserId: string | undefined,
): Promise<Agent> {
  const createdAt = new Date();
  const draft = testAgent({
    id: createId(),
    userId,
    ownerUserId,
    descriptor,
    createdAt,
    lastActiveAt: createdAt,
  });
  const { agent } = await agents.ensure(draft, keyOf(descriptor));
  await history.append(firstEntry(agent, new Date()));
  return agent;
}
