import type { Channel } from './channel';
import type { Endpoint } from './endpoint';
import type {
  FriendFacts,
  Listed,
  ScopeFacts,
  SeenAgent,
  SeenCron,
  SeenFriend,
  SeenGateway,
  SeenHeartbeat,
  SeenRequest,
  SeenShare,
  SeenSubuser,
  SubuserFacts,
  Viewer,
  WiringFacts,
} from './facts';
import { isSubuser, type Scope } from './scope';
import type { Subscription } from './signal';

export type SectionStatus = 'available' | 'partial' | 'unavailable';

export interface Section<T> extends Listed<T> {
  readonly status: SectionStatus;
}

/** Who looks; the nametag is undefined while nobody can tell it. */
export interface Self extends Viewer {
  readonly nametag: string | undefined;
}

/** `none` when it was never made, `unknown` when nobody could be asked. */
export type Gateway = SeenGateway | 'none' | 'unknown';

export interface ViewedSubuser extends SeenSubuser {
  readonly gateway: Gateway;
}

/** Whether what is shared is awake is not told: it is the business of its owner. */
export interface ViewedShare extends SeenShare {
  readonly gateway: Pick<SeenGateway, 'agentId'> | Extract<Gateway, string>;
}

export type ViewedFriend = SeenFriend<ViewedShare>;

/** What a viewer sees. */
export interface TopologyView {
  readonly self: Self;
  readonly agents: Section<SeenAgent>;
  readonly crons: Section<SeenCron>;
  readonly heartbeats: Section<SeenHeartbeat>;
  readonly subscriptions: Section<Subscription>;
  readonly channels: Section<Channel>;
  readonly endpoints: Section<Endpoint>;
  /** These three are not there at all for a subuser. */
  readonly subusers?: Section<ViewedSubuser>;
  readonly friends?: Section<ViewedFriend>;
  readonly requests?: Section<SeenRequest>;
}

/** What the owners of the facts told; undefined is one that is down. */
export interface Facts {
  readonly subusers: SubuserFacts | undefined;
  readonly friends: FriendFacts | undefined;
  readonly scope: ScopeFacts | undefined;
  readonly wiring: WiringFacts | undefined;
}

type GatewayOf = (subuserId: string) => Gateway;

const unavailable: Section<never> = { status: 'unavailable', entries: [], count: 0 };

export function composeView(self: Self, facts: Facts, scope: Scope): TopologyView {
  const { agents, crons, heartbeats } = facts.scope ?? {};
  const { subscriptions, channels, endpoints } = facts.wiring ?? {};
  const status = scope.isCut ? 'partial' : 'available';
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
  { subusers, isCut }: SubuserFacts,
  gatewayOf: GatewayOf,
): Section<ViewedSubuser> {
  const entries = subusers.map((subuser) => ({ ...subuser, gateway: gatewayOf(subuser.id) }));
  const isPartial = isCut || entries.some(isUnknown);
  return { status: isPartial ? 'partial' : 'available', entries, count: entries.length };
}

function friendSection({ friends }: FriendFacts, gatewayOf: GatewayOf): Section<ViewedFriend> {
  const withGateways = (shares: readonly SeenShare[]): ViewedShare[] =>
    shares.map((share) => ({ ...share, gateway: withoutLifecycle(gatewayOf(share.subuserId)) }));
  const entries = friends.entries.map(({ nametag, sharesOut, sharesIn }) => ({
    nametag,
    sharesOut: withGateways(sharesOut),
    sharesIn: withGateways(sharesIn),
  }));
  const isPartial = entries.some((each) => [...each.sharesOut, ...each.sharesIn].some(isUnknown));
  return { status: isPartial ? 'partial' : 'available', entries, count: friends.count };
}

function withoutLifecycle(gateway: Gateway): ViewedShare['gateway'] {
  return typeof gateway === 'string' ? gateway : { agentId: gateway.agentId };
}

function isUnknown({ gateway }: { readonly gateway: unknown }): boolean {
  return gateway === 'unknown';
}
