import { AppError, FieldChecks, notFound } from '@daycare/errors';
import type { GoneUserStore } from '@daycare/service-kit';
import type { Agent } from '../domain/agent';
import { firstEntry } from '../domain/agent-state';
import { checkDescriptor } from '../domain/check-descriptor';
import type { Descriptor } from '../domain/descriptor';
import { isForeground, keyOf, roleOf, type AgentRole } from '../domain/descriptor-kinds';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import type { RouteMailbox } from './route-mailbox';

/** Who is whose subuser. */
export interface Directory {
  findById(
    userId: string,
  ): Promise<{ readonly userId: string; readonly parentUserId: string | undefined } | undefined>;
}

export interface EnsureDeps {
  readonly agents: AgentStore;
  readonly goneUsers: GoneUserStore;
  readonly history: HistoryStore;
  readonly directory: Directory;
  readonly routeMailbox: RouteMailbox;
  readonly shardOf: (userId: string) => number;
  /** Which model an agent of a role is made with. */
  readonly modelFor: (role: AgentRole) => { readonly provider: string; readonly model: string };
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface EnsuredAgent {
  readonly agent: Agent;
  /** True when this call made it. */
  readonly created: boolean;
}

/** Finds the agent of a descriptor or makes it; the descriptor must have been checked. */
export type FindOrMakeAgent = (userId: string, descriptor: Descriptor) => Promise<EnsuredAgent>;

/**
 * The unique key settles who makes it. Its history begins right after; should the maker die in
 * between, whoever runs the agent first begins it.
 */
export function makeFindOrMakeAgent(deps: EnsureDeps): FindOrMakeAgent {
  const { agents, goneUsers, history, directory, routeMailbox, now } = deps;
  return async (userId, descriptor) => {
    const known = await agents.findByKey(userId, keyOf(descriptor));
    if (known) return { agent: known, created: false };
    const user = await directory.findById(userId);
    // The directory may believe in a user for some seconds after it is gone.
    if (!user || (await goneUsers.has(userId))) throw notFound('user');
    const draft = draftOf(deps, userId, user.parentUserId, descriptor);
    const { agent, created } = await agents.ensure(draft, keyOf(descriptor));
    await history.append(firstEntry(agent, now()));
    if (agent.foreground) await routeMailbox(userId);
    return { agent, created };
  };
}

/** EnsureAgent for other services: the same, with everything checked. */
export function makeEnsureAgent(findOrMake: FindOrMakeAgent) {
  return async (
    userId: string,
    descriptor: Descriptor | undefined,
    requestId: string,
  ): Promise<EnsuredAgent> => {
    const checks = new FieldChecks().requestId(requestId).id(userId, 'user_id');
    checks.require(descriptor !== undefined, 'descriptor', 'is required');
    if (descriptor) {
      checkDescriptor(descriptor, checks);
      checkOwnership(userId, descriptor, checks);
    }
    checks.done();
    if (!descriptor) throw new AppError('INTERNAL', 'unreachable');
    return findOrMake(userId, descriptor);
  };
}

/** A gateway and a heartbeat name the user they belong to. */
function checkOwnership(userId: string, descriptor: Descriptor, checks: FieldChecks): void {
  if (descriptor.kind === 'subuser')
    checks.require(descriptor.id === userId, 'descriptor.subuser.id', 'must be the user_id');
  if (descriptor.kind === 'heartbeat')
    checks.require(
      descriptor.userId === userId,
      'descriptor.heartbeat.user_id',
      'must be the user_id',
    );
}

function draftOf(
  { newId, now, shardOf, modelFor }: EnsureDeps,
  userId: string,
  ownerUserId: string | undefined,
  descriptor: Descriptor,
): Agent {
  const createdAt = now();
  return {
    id: newId(),
    userId,
    ownerUserId,
    kind: descriptor.kind,
    descriptor,
    foreground: isForeground(descriptor.kind),
    shard: shardOf(userId),
    ...modelFor(roleOf(descriptor)),
    createdAt,
    lastActiveAt: createdAt,
    lastUserActivityAt: undefined,
    diedAt: undefined,
  };
}
