import {
  AgentLifecycle,
  CronStatus,
  DescriptorKind,
  type AgentSummary,
  type Cron,
} from '@daycare/contracts/agent-runtime';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import {
  SectionStatus,
  type Topology,
  type TopologyFriend,
  type TopologyShare,
} from '@daycare/contracts/topology';
import { safeLine } from './safe-text';
import { labelText, shortId } from './short-id';
import { renderTree, type Branch } from './tree';
import type { Style } from './view';
import { toTime, toWait, toWord } from './words';

interface Section {
  readonly status: SectionStatus;
  readonly count: number;
}

/** What the person calls a friend, by nametag; empty if there is no name. */
export type FriendNameOf = (nametag: string) => string;

/** Renders a topology as a tree, with agents below the user or subuser that owns them. */
export function renderTopologyTree(
  topology: Topology,
  style: Style,
  friendNameOf?: FriendNameOf,
): string {
  return renderTree(topologyBranch(topology, style, friendNameOf));
}

export function topologyBranch(
  topology: Topology,
  { colours }: Pick<Style, 'colours'>,
  friendNameOf: FriendNameOf = () => '',
): Branch {
  const { self } = topology;
  const section = (
    title: string,
    loaded: Section | undefined,
    children: readonly Branch[] = [],
  ): Branch[] => {
    if (!loaded) return [];
    const isAvailable = loaded.status !== SectionStatus.UNAVAILABLE;
    if (isAvailable && loaded.count === 0) return [];
    const count = isAvailable ? String(loaded.count) : 'unavailable';
    return [{ text: `${colours.bold(title)} (${count})`, children }];
  };
  const user = `${self?.nametag ?? ''} (${shortId(self?.userId ?? '')})`;
  const ownAgents = agentsOf(topology, self?.userId ?? '');
  return {
    text: colours.bold(user),
    children: [
      ...section(
        'agents',
        topology.agents && { ...topology.agents, count: ownAgents.length },
        ownAgents,
      ),
      ...section('subusers', topology.subusers, subuserBranches(topology)),
      ...section('crons', topology.cronTasks, cronBranches(topology)),
      ...section('heartbeats', topology.heartbeatTasks, heartbeatBranches(topology)),
      ...section('subscriptions', topology.signalSubscriptions, subscriptionBranches(topology)),
      ...section('channels', topology.channels, channelBranches(topology)),
      ...section('endpoints', topology.exposeEndpoints, endpointBranches(topology)),
      ...section('friends', topology.friends, friendBranches(topology, friendNameOf)),
      ...section('requests', topology.friendRequests, requestBranches(topology)),
    ],
  };
}

function agentsOf({ agents, cronTasks }: Topology, userId: string): Branch[] {
  return (agents?.agents ?? [])
    .filter((agent) => agent.userId === userId)
    .map((agent) => ({ text: agentText(agent, cronTasks?.crons) }));
}

function agentText(
  { id, kind, label, lifecycle, waiting }: AgentSummary,
  crons: readonly Cron[] | undefined,
): string {
  const words = [toWord(DescriptorKind, kind), toWord(AgentLifecycle, lifecycle)];
  if (waiting) words.push(toWait(waiting));
  return `${labelText(safeLine(label), crons)} (${shortId(id)}) ${words.join(' ')}`;
}

function subuserBranches(topology: Topology): Branch[] {
  return (topology.subusers?.subusers ?? []).map(({ subuserId, name, nametag }) => ({
    text: `${safeLine(name)} ${nametag} (${shortId(subuserId)})`,
    children: agentsOf(topology, subuserId),
  }));
}

function cronBranches({ cronTasks }: Topology): Branch[] {
  return (cronTasks?.crons ?? []).map(({ name, schedule, enabled, status }) => ({
    text: `${safeLine(name)} "${schedule}"${enabled ? '' : ` ${toWord(CronStatus, status) || 'paused'}`}`,
  }));
}

function heartbeatBranches({ heartbeatTasks }: Topology): Branch[] {
  return (heartbeatTasks?.heartbeats ?? []).map(({ title }) => ({
    text: safeLine(title),
  }));
}

function subscriptionBranches(topology: Topology): Branch[] {
  const { subscriptions = [] } = topology.signalSubscriptions ?? {};
  return subscriptions.map(({ agentId, pattern, silent }) => ({
    text: `${safeLine(pattern)} to ${agentName(topology, agentId)}${silent ? ' silent' : ''}`,
  }));
}

/** Returns an agent's label, or the beginning of its id if it is not in the topology. */
function agentName({ agents, cronTasks }: Topology, agentId: string): string {
  const agent = agents?.agents.find(({ id }) => id === agentId);
  return agent ? labelText(safeLine(agent.label), cronTasks?.crons) : shortId(agentId);
}

function channelBranches(topology: Topology): Branch[] {
  return (topology.channels?.channels ?? []).map(({ name, leaderAgentId, members }) => ({
    text: `#${name}`,
    children: members.map(({ username, agentId }) => ({
      text: `@${username} ${agentName(topology, agentId)}${agentId === leaderAgentId ? ' (leader)' : ''}`,
    })),
  }));
}

function endpointBranches({ exposeEndpoints }: Topology): Branch[] {
  return (exposeEndpoints?.endpoints ?? []).map(({ name, url }) => ({
    text: `${safeLine(name)} ${url}`,
  }));
}

function friendBranches({ friends }: Topology, nameOf: FriendNameOf): Branch[] {
  return (friends?.friends ?? []).map((friend) => friendBranch(friend, nameOf(friend.nametag)));
}

function friendBranch({ nametag, sharesOut, sharesIn }: TopologyFriend, name: string): Branch {
  return {
    text: name === '' ? nametag : `${name} ${nametag}`,
    children: [
      ...sharesOut.map((share) => ({ text: `-> ${shareText(share)}` })),
      ...sharesIn.map((share) => ({ text: `<- ${shareText(share)}` })),
    ],
  };
}

function shareText({ share }: TopologyShare): string {
  const status = toWord(ShareStatus, share?.status);
  return `${safeLine(share?.subuserName ?? '')} ${share?.subuserNametag ?? ''} ${status}`;
}

function requestBranches({ friendRequests }: Topology): Branch[] {
  return (friendRequests?.requests ?? []).map(({ nametag, state, since }) => ({
    text: `${nametag} ${toWord(TieState, state)} since ${toTime(since)}`,
  }));
}
