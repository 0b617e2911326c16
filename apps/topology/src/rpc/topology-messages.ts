import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { AgentLifecycle } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { EncodedResponse, readWord } from '@daycare/rpc';
import { enumOf } from '@daycare/contracts/enum-words';
import { toAgentSummary, toShareMessage } from '@daycare/contracts/shared-messages';
import {
  TieState,
  type FriendRequest as FriendRequestMessage,
} from '@daycare/contracts/social-graph';
import {
  GetTopologyResponse,
  SectionStatus,
  Topology,
  TopologyFormat,
  type WatchTopologyResponse,
  type TopologyFriend,
  type TopologySelf,
  type TopologyShare,
  type TopologySubuser,
} from '@daycare/contracts/topology';
import type { Friend, FriendRequest, Share, Subuser } from '../domain/view/facts';
import type { Section, Self, TopologyView } from '../domain/view/topology-view';
import type { Authored } from '../domain/viewer';
import type { TopologyPage } from '../usecases/view/get-topology';
import { toChannel } from './channel-messages';
import { toEndpoint } from './endpoint-messages';
import { toSubscription } from './signal-messages';
import { toCron, toHeartbeat } from './schedule-facts';

/** Encodes the sections of a view, without the revision, the time and the viewer. */
export function encodeSections(view: TopologyView, urlOf: UrlOf): Uint8Array {
  return Topology.encode({ revision: '', ...toSections(view, urlOf) }).finish();
}

/** The protobuf tag of the field `topology`, the same in responses to get and watch calls. */
const topologyField = 0x0a;

/** Builds a response around encoded sections; responses to get and watch calls have the same fields. */
export function toResponse({
  revision,
  composedAt,
  self,
  encoded,
  text,
  nextPageToken,
}: TopologyPage): EncodedResponse<GetTopologyResponse & WatchTopologyResponse> {
  const head = Topology.encode({ revision, composedAt, self: toSelf(self) }).finish();
  const start = new BinaryWriter().uint32(topologyField).uint32(head.length + encoded.length);
  const rest = GetTopologyResponse.encode({ text, nextPageToken }).finish();
  return new EncodedResponse(Buffer.concat([start.finish(), head, encoded, rest]));
}

/** The URL at which the edge serves an endpoint; empty without an edge. */
type UrlOf = (endpointId: string) => string;

/** Returns the requested format; undefined if both text and structure are requested. */
export function readFormat(format: TopologyFormat): 'text' | 'structure' | undefined {
  return readWord(TopologyFormat, format, 'format');
}

function toSelf({ userId, nametag = '', agentId = '' }: Self): TopologySelf {
  return { userId, nametag, agentId };
}

function toSections(view: TopologyView, urlOf: UrlOf): Partial<Topology> {
  const { agents, crons, heartbeats, subscriptions, channels, endpoints } = view;
  return {
    agents: { ...headOf(agents), agents: agents.entries.map(toAgentSummary) },
    cronTasks: { ...headOf(crons), crons: crons.entries.map((cron) => toCron(toAuthored(cron))) },
    heartbeatTasks: {
      ...headOf(heartbeats),
      heartbeats: heartbeats.entries.map((each) => toHeartbeat(toAuthored(each))),
    },
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
  return { status: enumOf(SectionStatus, status), count };
}

function toAuthored<T extends Authored>({ writtenBy, ...rest }: T) {
  return { ...rest, writtenBy: writtenBy && enumOf(Trust, writtenBy) };
}

function toSubuser({ id: subuserId, name, nametag, gateway }: Subuser): TopologySubuser {
  const isKnown = typeof gateway !== 'string';
  return {
    subuserId,
    name,
    nametag,
    gatewayAgentId: isKnown ? gateway.agentId : '',
    gatewayLifecycle: isKnown
      ? enumOf(AgentLifecycle, gateway.lifecycle)
      : AgentLifecycle.UNSPECIFIED,
  };
}

function toFriend({ nametag, sharesOut, sharesIn }: Friend): TopologyFriend {
  return { nametag, sharesOut: sharesOut.map(toShare), sharesIn: sharesIn.map(toShare) };
}

function toShare(share: Share): TopologyShare {
  return {
    share: toShareMessage(share),
    gatewayAgentId: typeof share.gateway === 'string' ? '' : share.gateway.agentId,
  };
}

function toRequest({ nametag, state, since }: FriendRequest): FriendRequestMessage {
  return { nametag, state: enumOf(TieState, state), since };
}
