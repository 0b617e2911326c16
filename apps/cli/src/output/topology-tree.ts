import type { AgentSummary } from '@daycare/contracts/agent-runtime';
import {
  SectionStatus,
  type Topology,
  type TopologyFriend,
  type TopologyShare,
} from '@daycare/contracts/topology';
import { safeLine } from './safe-text';
import { renderTree, type Branch } from './tree';
import type { Style } from './view';
import { toTime, toWord } from './words';

interface Section {
  readonly status: SectionStatus;
  readonly count: number;
}

/** What a person has, as a tree: agents below the user or subuser they belong to. */
export function renderTopologyTree(topology: Topology, { colours }: Style): string {
  const { self } = topology;
  const section = (
    title: string,
    found: Section | undefined,
    below: readonly Branch[] = [],
  ): Branch[] => {
    if (!found) return [];
    const isKnown = found.status !== SectionStatus.UNAVAILABLE;
    if (isKnown && found.count === 0) return [];
    const count = isKnown ? String(found.count) : 'unavailable';
    return [{ text: `${colours.bold(title)} (${count})`, below }];
  };
  const user = `${self?.nametag ?? ''} (${self?.userId ?? ''})`;
  const own = agentsOf(topology, self?.userId ?? '');
  return renderTree({
    text: colours.bold(user),
    below: [
      ...section('agents', topology.agents && { ...topology.agents, count: own.length }, own),
      ...section('subusers', topology.subusers, subuserBranches(topology)),
      ...section('crons', topology.cronTasks, cronBranches(topology)),
      ...section('heartbeats', topology.heartbeatTasks, heartbeatBranches(topology)),
      ...section('subscriptions', topology.signalSubscriptions, subscriptionBranches(topology)),
      ...section('channels', topology.channels, channelBranches(topology)),
      ...section('endpoints', topology.exposeEndpoints, endpointBranches(topology)),
      ...section('friends', topology.friends, topology.friends?.friends.map(friendBranch)),
      ...section('requests', topology.friendRequests, requestBranches(topology)),
    ],
  });
}

function agentsOf({ agents }: Topology, userId: string): Branch[] {
  return (agents?.agents ?? [])
    .filter((agent) => agent.userId === userId)
    .map((agent) => ({ text: agentText(agent) }));
}

function agentText({ id, kind, label, lifecycle }: AgentSummary): string {
  const words = [toWord('DESCRIPTOR_KIND', kind), toWord('AGENT_LIFECYCLE', lifecycle)];
  return `${id} ${safeLine(label)} ${words.join(' ')}`;
}

function subuserBranches(topology: Topology): Branch[] {
  return (topology.subusers?.subusers ?? []).map(({ subuserId, name, nametag }) => ({
    text: `${safeLine(name)} ${nametag} (${subuserId})`,
    below: agentsOf(topology, subuserId),
  }));
}

function cronBranches({ cronTasks }: Topology): Branch[] {
  return (cronTasks?.crons ?? []).map(({ id, name, schedule, enabled }) => ({
    text: `${id} ${safeLine(name)} "${schedule}"${enabled ? '' : ' paused'}`,
  }));
}

function heartbeatBranches({ heartbeatTasks }: Topology): Branch[] {
  return (heartbeatTasks?.heartbeats ?? []).map(({ id, title }) => ({
    text: `${id} ${safeLine(title)}`,
  }));
}

function subscriptionBranches({ signalSubscriptions }: Topology): Branch[] {
  return (signalSubscriptions?.subscriptions ?? []).map(({ agentId, pattern, silent }) => ({
    text: `${agentId} ${safeLine(pattern)}${silent ? ' silent' : ''}`,
  }));
}

function channelBranches({ channels }: Topology): Branch[] {
  return (channels?.channels ?? []).map(({ name, leaderAgentId, members }) => ({
    text: `#${name}`,
    below: members.map(({ username, agentId }) => ({
      text: `@${username} ${agentId}${agentId === leaderAgentId ? ' leads' : ''}`,
    })),
  }));
}

function endpointBranches({ exposeEndpoints }: Topology): Branch[] {
  return (exposeEndpoints?.endpoints ?? []).map(({ id, name, url }) => ({
    text: `${id} ${safeLine(name)} ${url}`,
  }));
}

function friendBranch({ nametag, sharesOut, sharesIn }: TopologyFriend): Branch {
  return {
    text: nametag,
    below: [
      ...sharesOut.map((share) => ({ text: `-> ${shareText(share)}` })),
      ...sharesIn.map((share) => ({ text: `<- ${shareText(share)}` })),
    ],
  };
}

function shareText({ share }: TopologyShare): string {
  const status = toWord('SHARE_STATUS', share?.status ?? '');
  return `${safeLine(share?.subuserName ?? '')} ${share?.subuserNametag ?? ''} ${status}`;
}

function requestBranches({ friendRequests }: Topology): Branch[] {
  return (friendRequests?.requests ?? []).map(({ nametag, state, since }) => ({
    text: `${nametag} ${toWord('TIE_STATE', state)} since ${toTime(since)}`,
  }));
}
