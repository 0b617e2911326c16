import { AppError, FieldChecks, notFound, type Trust } from '@daycare/api';
import type { DeletedUserStore } from '@daycare/service-kit';
import type { Agent } from '../domain/agent';
import { wordingTrustOf } from '../domain/agent-settings';
import { firstEntry } from '../domain/history-entry';
import { checkDescriptor } from '../domain/descriptor/check-descriptor';
import type { Descriptor } from '../domain/descriptor/descriptor';
import { feedOf, isForeground, keyOf } from '../domain/descriptor/descriptor-kinds';
import type { EnsuredAgent } from '../store/agent-slots';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';

/** Looks up users and their owners. */
export interface Directory {
  findById(userId: string): Promise<
    | {
        readonly userId: string;
        readonly parentUserId: string | undefined;
        /** The client that may act for the user; absent when there is none. */
        readonly client?: string;
      }
    | undefined
  >;
}

export interface EnsureDeps {
  readonly agents: AgentStore;
  readonly deletedUsers: DeletedUserStore;
  readonly history: HistoryStore;
  readonly directory: Directory;
  readonly shardOf: (userId: string) => number;
  readonly newId: () => string;
  readonly now: () => Date;
}

/**
 * Finds the agent that a descriptor identifies, or creates it; the descriptor must have been checked. If a turn wrote
 * the agent's name and prompt, `trust` is the trust of that turn.
 */
export type FindOrCreateAgent = (
  userId: string,
  descriptor: Descriptor,
  trust?: Trust,
) => Promise<EnsuredAgent>;

/**
 * Finds agents or creates them. The unique index decides which of several callers creates the agent. The agent's
 * history is started right after its creation; if the replica dies in between, the first replica that runs the agent
 * starts its history.
 */
export function makeFindOrCreateAgent(deps: EnsureDeps): FindOrCreateAgent {
  const { agents, deletedUsers, history, directory, now } = deps;
  return async (userId, descriptor, trust) => {
    const existing = await agents.findByKey(userId, keyOf(descriptor));
    if (existing) return { agent: existing, created: false };
    const user = await directory.findById(userId);
    // The directory may still return a user for some seconds after its deletion.
    if (!user || (await deletedUsers.has(userId))) throw notFound('user');
    const draft = {
      ...draftOf(deps, userId, user.parentUserId, descriptor),
      ...feedOf(descriptor, user.client),
      ...wordingTrustOf(trust),
    };
    const ensured = await agents.ensure(draft, keyOf(descriptor));
    await history.append(firstEntry(ensured.agent, now()));
    return ensured;
  };
}

/**
 * Extends `findOrCreate` so that the messages waiting in the user's mailbox are routed when it creates a foreground
 * agent.
 */
export function withMail(
  findOrCreate: FindOrCreateAgent,
  routeMailbox: (userId: string) => Promise<void>,
): FindOrCreateAgent {
  return async (userId, ...wanted) => {
    const ensured = await findOrCreate(userId, ...wanted);
    if (ensured.created && ensured.agent.foreground) await routeMailbox(userId);
    return ensured;
  };
}

/** Implements EnsureAgent for other services: checks all arguments, then finds or creates the agent. */
export function makeEnsureAgent(findOrCreate: FindOrCreateAgent) {
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
    if (!descriptor)
      throw new AppError('INTERNAL', 'unreachable: the checks passed without a descriptor');
    return findOrCreate(userId, descriptor);
  };
}

/** The user id in the descriptor of a gateway or a heartbeat agent must be the id of the agent's user. */
function checkOwnership(userId: string, descriptor: Descriptor, checks: FieldChecks): void {
  if (descriptor.kind === 'subuser')
    checks.require(
      descriptor.id === userId,
      'descriptor.subuser.id',
      'must be the same as the user id',
    );
  if (descriptor.kind === 'heartbeat')
    checks.require(
      descriptor.userId === userId,
      'descriptor.heartbeat.user_id',
      'must be the same as the user id',
    );
}

function draftOf(
  { newId, now, shardOf }: EnsureDeps,
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
    createdAt,
    lastActiveAt: createdAt,
    lastUserActivityAt: undefined,
    diedAt: undefined,
  };
}
