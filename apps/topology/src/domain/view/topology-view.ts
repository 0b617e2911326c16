import type { Channel } from '../channels/channel';
import type { Endpoint } from '../endpoints/endpoint';
import type { Subscription } from '../signals/signal';
import { isSubuser, type Viewer } from '../viewer';
import type {
  Agent,
  Cron,
  Friend,
  FriendFacts,
  FriendRequest,
  Gateway,
  Heartbeat,
  Listed,
  MissingGateway,
  ScopeFacts,
  Share,
  Subuser,
  SubuserFacts,
  WiringFacts,
} from './facts';
import type { Scope } from './scope';

/** Which form of the view to build. */
export type TopologyFormat = 'text' | 'structure';

export type SectionStatus = 'available' | 'partial' | 'unavailable';

export interface Section<T> extends Listed<T> {
  readonly status: SectionStatus;
}

/** The viewer; its nametag is undefined if identity is unavailable and the nametag is not cached. */
export interface Self extends Viewer {
  readonly nametag: string | undefined;
}

/** Everything a viewer may see. */
export interface TopologyView {
  readonly self: Self;
  readonly agents: Section<Agent>;
  readonly crons: Section<Cron>;
  readonly heartbeats: Section<Heartbeat>;
  readonly subscriptions: Section<Subscription>;
  readonly channels: Section<Channel>;
  readonly endpoints: Section<Endpoint>;
  /** This and the next two sections are absent when the viewer is a subuser. */
  readonly subusers?: Section<Subuser>;
  readonly friends?: Section<Friend>;
  readonly requests?: Section<FriendRequest>;
}

/** What each source returned; undefined for a source that is unavailable. */
export interface Facts {
  readonly subusers: SubuserFacts | undefined;
  readonly friends: FriendFacts | undefined;
  readonly scope: ScopeFacts | undefined;
  readonly wiring: WiringFacts | undefined;
}

/** Reports whether every source of the viewer's view was available. */
export function isComplete(viewer: Self, { subusers, friends, scope, wiring }: Facts): boolean {
  const areSocialFactsKnown =
    isSubuser(viewer) || (subusers !== undefined && friends !== undefined);
  return viewer.nametag !== undefined && areSocialFactsKnown && !!scope && !!wiring;
}

type GatewayOf = (subuserId: string) => Gateway | MissingGateway;

const unavailable: Section<never> = { status: 'unavailable', entries: [], count: 0 };

/** Combines the facts into the view and fills in the gateways. */
export function composeView(self: Self, facts: Facts, scope: Scope): TopologyView {
  const { agents, crons, heartbeats } = facts.scope ?? {};
  const { subscriptions, channels, endpoints } = facts.wiring ?? {};
  const status = scope.isPartial ? 'partial' : 'available';
  return {
    self,
    agents: agents ? { ...agents, status } : unavailable,
    crons: crons ? { ...crons, status } : unavailable,
    heartbeats: heartbeats ? { ...heartbeats, status } : unavailable,
    subscriptions: subscriptions ? { ...subscriptions, status } : unavailable,
    channels: channels ? { ...channels, status } : unavailable,
    endpoints: endpoints ? { ...endpoints, status } : unavailable,
    ...(isSubuser(self) ? {} : composeSocial(facts, gatewaysOf(facts, scope))),
  };
}

function composeSocial({ subusers, friends }: Facts, gatewayOf: GatewayOf) {
  return {
    subusers: subusers ? subuserSection(subusers, gatewayOf) : unavailable,
    friends: friends ? friendSection(friends, gatewayOf) : unavailable,
    requests: friends ? { ...friends.requests, status: 'available' as const } : unavailable,
  };
}

function gatewaysOf({ scope }: Facts, { gatewayUserIds }: Scope): GatewayOf {
  const asked = new Set(scope ? gatewayUserIds : []);
  return (subuserId) =>
    scope?.gateways.get(subuserId) ?? (asked.has(subuserId) ? 'none' : 'unknown');
}

function subuserSection(
  { subusers, isTruncated }: SubuserFacts,
  gatewayOf: GatewayOf,
): Section<Subuser> {
  const entries = subusers.map((subuser) => ({ ...subuser, gateway: gatewayOf(subuser.id) }));
  const isPartial = isTruncated || entries.some(isGatewayUnknown);
  return { status: isPartial ? 'partial' : 'available', entries, count: entries.length };
}

function friendSection({ friends }: FriendFacts, gatewayOf: GatewayOf): Section<Friend> {
  const withGateways = (shares: readonly Share[]): Share[] =>
    shares.map((share) => ({ ...share, gateway: withoutLifecycle(gatewayOf(share.subuserId)) }));
  const entries = friends.entries.map(({ nametag, sharesOut, sharesIn }) => ({
    nametag,
    sharesOut: withGateways(sharesOut),
    sharesIn: withGateways(sharesIn),
  }));
  const isPartial = entries.some(
    ({ sharesOut, sharesIn }) =>
      sharesOut.some(isGatewayUnknown) || sharesIn.some(isGatewayUnknown),
  );
  return { status: isPartial ? 'partial' : 'available', entries, count: friends.count };
}

function withoutLifecycle(gateway: Gateway | MissingGateway): Share['gateway'] {
  return typeof gateway === 'string' ? gateway : { agentId: gateway.agentId };
}

function isGatewayUnknown({ gateway }: Pick<Subuser | Share, 'gateway'>): boolean {
  return gateway === 'unknown';
}
