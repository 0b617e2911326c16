import { AppError, notFound } from '@daycare/api';
import { attemptEach } from '@daycare/service-kit';
import { leave } from '../../domain/channels/channel';
import type { ChannelMessageStore } from '../../store/channel-message-store';
import type { ChannelStore } from '../../store/channel-store';
import type { EndedAgent, EndedAgentStore } from '../../store/ended-agent-store';
import type { EndpointStore } from '../../store/endpoint-store';
import type { SubscriptionStore } from '../../store/subscription-store';
import type { ChangeChannel } from '../channels/change-channel';
import type { ConfirmAlive } from '../check-own-agent';

export interface EndAgentDeps {
  readonly endedAgents: EndedAgentStore;
  readonly subscriptions: SubscriptionStore;
  readonly channels: ChannelStore;
  readonly messages: ChannelMessageStore;
  readonly endpoints: EndpointStore;
  readonly changeChannel: ChangeChannel;
  /** Closes the connections of a deleted endpoint, on every replica. */
  readonly closeConnections: (endpointId: string) => void;
  /** Notifies those who see the wiring of these users. */
  readonly hint: (userIds: readonly string[]) => void;
  readonly now: () => Date;
}

/** Removes an agent from all wiring. May be interrupted and called again at any time. */
export type EndAgent = (agent: EndedAgent) => Promise<void>;

/**
 * First records in `endedAgents` that the agent has ended. A concurrent call that writes after that finds the record
 * and undoes its own write; anything written earlier is removed here.
 */
export function makeEndAgent(deps: EndAgentDeps): EndAgent {
  return async (agent) => {
    const { userId, agentId } = agent;
    await deps.endedAgents.add(agent, deps.now());
    const owners = [
      ...(await deps.subscriptions.deleteByAgent(userId, agentId)),
      ...(await leaveChannels(deps, agent)),
      ...(await deleteEndpoints(deps, agent)),
    ];
    if (owners.length > 0) deps.hint([...new Set([userId, ...owners])]);
  };
}

export function makeConfirmAlive(endedAgents: EndedAgentStore, endAgent: EndAgent): ConfirmAlive {
  return async (agent) => {
    if (!(await endedAgents.has(agent))) return;
    await endAgent(agent);
    throw notFound('agent');
  };
}

/** Longer than any call lasts. */
const finalCheckAfterMs = 15 * 60 * 1000;

/**
 * Checks each ended agent once more and removes everything left behind by calls that crashed before they
 * confirmed that the agent was alive.
 */
export function makeSweepEndedAgents(
  { endedAgents, now }: Pick<EndAgentDeps, 'endedAgents' | 'now'>,
  endAgent: EndAgent,
) {
  return async (): Promise<void> => {
    const before = new Date(now().getTime() - finalCheckAfterMs);
    await attemptEach(await endedAgents.listUnchecked(before), async (agent) => {
      await endAgent(agent);
      await endedAgents.finish(agent);
    });
  };
}

async function leaveChannels(deps: EndAgentDeps, agent: EndedAgent): Promise<readonly string[]> {
  const { userId, agentId } = agent;
  const joined = await deps.channels.listByMember(userId, agentId);
  for (const { id, name } of joined) {
    const changed = await deps
      .changeChannel({ userId, name, decide: (channel) => leave(channel, agentId) ?? channel })
      .catch(ignoreAbsent);
    if (!changed || changed.members.length === 0) await deps.messages.deleteByChannels([id]);
  }
  return joined.map(({ ownerUserId }) => ownerUserId);
}

async function deleteEndpoints(deps: EndAgentDeps, agent: EndedAgent): Promise<readonly string[]> {
  const { userId, agentId } = agent;
  const deleted = await deps.endpoints.deleteByAgent(userId, agentId, deps.now());
  for (const { id } of deleted) deps.closeConnections(id);
  return deleted.map(({ ownerUserId }) => ownerUserId);
}

/** Ignores a channel that no longer exists, because its last member may have left concurrently. */
function ignoreAbsent(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
