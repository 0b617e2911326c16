import { AgentLifecycle, type AgentSummary } from '@daycare/contracts/agent-runtime';
import type { FriendRequest } from '@daycare/contracts/social-graph';
import {
  SectionStatus,
  type GetTopologyResponse,
  type Topology,
  type TopologyFriend,
  type TopologyShare,
  type TopologySubuser,
} from '@daycare/contracts/topology';
import type { SeenAgent, SeenRequest } from '../domain/facts';
import type {
  Section,
  TopologyView,
  ViewedFriend,
  ViewedShare,
  ViewedSubuser,
} from '../domain/topology-view';
import type { TopologyPage } from '../usecases/get-topology';
import { toChannel } from './channel-messages';
import { toEndpoint } from './endpoint-messages';
import { kinds, lifecycles, requestStates, shareStatuses } from './fact-words';
import { toSubscription } from './signal-messages';

const statuses: Record<Section<unknown>['status'], SectionStatus> = {
  available: SectionStatus.AVAILABLE,
  partial: SectionStatus.PARTIAL,
  unavailable: SectionStatus.UNAVAILABLE,
};

/** Where the edge serves an endpoint; empty when there is none. */
type UrlOf = (endpointId: string) => string;

export function toResponse(page: TopologyPage, urlOf: UrlOf): GetTopologyResponse {
  const { text, nextPageToken } = page;
  return { topology: toTopology(page, urlOf), text, nextPageToken };
}

function toTopology({ view, revision, composedAt }: TopologyPage, urlOf: UrlOf): Topology {
  const { self, agents, crons, heartbeats, subscriptions, channels, endpoints } = view;
  const { userId, nametag = '', agentId = '' } = self;
  return {
    revision,
    composedAt,
    self: { userId, nametag, agentId },
    agents: { ...headOf(agents), agents: agents.entries.map(toAgent) },
    cronTasks: { ...headOf(crons), crons: [...crons.entries] },
    heartbeatTasks: { ...headOf(heartbeats), heartbeats: [...heartbeats.entries] },
    signalSubscriptions: {
      ...headOf(subscriptions),
      subscriptions: subscriptions.entries.map(toSubscription),
    },
    channels: { ...headOf(channels), channels: channels.entries.map(toChannel) },
    exposeEndpoints: {
      ...headOf(endpoints),
      endpoints: endpoints.entries.map((endpoint) => toEndpoint(endpoint, urlOf)),
    },
    ...toSocial(view),
  };
}

function toSocial({ subusers, friends, requests }: TopologyView) {
  return {
    subusers: subusers && { ...headOf(subusers), subusers: subusers.entries.map(toSubuser) },
    friends: friends && { ...headOf(friends), friends: friends.entries.map(toFriend) },
    friendRequests: requests && { ...headOf(requests), requests: requests.entries.map(toRequest) },
  };
}

function headOf({ status, count }: Section<unknown>): { status: SectionStatus; count: number } {
  return { status: statuses[status], count };
}

function toAgent({ id, userId, kind, label, lifecycle }: SeenAgent): AgentSummary {
  return { id, userId, kind: kinds[kind], label, lifecycle: lifecycles[lifecycle] };
}

function toSubuser({ id: subuserId, name, nametag, gateway }: ViewedSubuser): TopologySubuser {
  const isKnown = typeof gateway !== 'string';
  return {
    subuserId,
    name,
    nametag,
    gatewayAgentId: isKnown ? gateway.agentId : '',
    gatewayLifecycle: isKnown ? lifecycles[gateway.lifecycle] : AgentLifecycle.UNSPECIFIED,
  };
}

function toFriend({ nametag, sharesOut, sharesIn }: ViewedFriend): TopologyFriend {
  return { nametag, sharesOut: sharesOut.map(toShare), sharesIn: sharesIn.map(toShare) };
}

function toShare({ gateway, status, ...share }: ViewedShare): TopologyShare {
  return {
    share: { ...share, status: shareStatuses[status] },
    gatewayAgentId: typeof gateway === 'string' ? '' : gateway.agentId,
  };
}

function toRequest({ nametag, state, since }: SeenRequest): FriendRequest {
  return { nametag, state: requestStates[state], since };
}
