import type { Channel } from './channel';
import type { Endpoint } from './endpoint';
import type { Subscription } from './signal';

/** Who looks; the owner is set when it is a subuser, the agent when no person is looking. */
export interface Viewer {
  readonly userId: string;
  readonly agentId?: string | undefined;
  readonly parentUserId?: string | undefined;
  /** How many agents in a row have led to what it does; unset when a person or client does it. */
  readonly hops?: number | undefined;
}

export type Lifecycle = 'active' | 'sleeping' | 'dead';
export type AgentKind =
  'user' | 'subuser' | 'permanent' | 'app' | 'subagent' | 'cron' | 'heartbeat';
export type ShareStatus = 'pending' | 'active';
export type RequestState = 'pending_in' | 'pending_out';

export interface SeenAgent {
  readonly id: string;
  readonly userId: string;
  readonly kind: AgentKind;
  readonly label: string;
  readonly lifecycle: Lifecycle;
}

export interface SeenCron {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly prompt: string;
  readonly agentId: string;
  readonly enabled: boolean;
  readonly once: boolean;
  readonly nextFireAt?: Date | undefined;
  readonly lastFiredAt?: Date | undefined;
  readonly createdAt?: Date | undefined;
}

export interface SeenHeartbeat {
  readonly id: string;
  readonly userId: string;
  readonly title: string;
  readonly prompt: string;
  readonly lastRunAt?: Date | undefined;
  readonly createdAt?: Date | undefined;
}

/** The agent through which a subuser is reached. */
export interface SeenGateway {
  readonly agentId: string;
  readonly lifecycle: Lifecycle;
}

export interface SeenSubuser {
  readonly id: string;
  readonly name: string;
  readonly nametag: string;
}

export interface SeenShare {
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly subuserName: string;
  readonly subuserDescription: string;
  readonly status: ShareStatus;
  readonly offeredAt?: Date | undefined;
  readonly acceptedAt?: Date | undefined;
}

export interface SeenFriend<Share = SeenShare> {
  readonly nametag: string;
  readonly sharesOut: readonly Share[];
  readonly sharesIn: readonly Share[];
}

export interface SeenRequest {
  readonly nametag: string;
  readonly state: RequestState;
  readonly since: Date;
}

/** Part of a list, and how long the whole list is. */
export interface Listed<T> {
  readonly entries: readonly T[];
  readonly count: number;
}

/** What identity knows of the viewer's subusers. */
export interface SubuserFacts {
  readonly subusers: readonly SeenSubuser[];
  /** There are more than can be looked at. */
  readonly isCut: boolean;
}

/** What social-graph knows of the viewer. */
export interface FriendFacts {
  readonly friends: Listed<SeenFriend>;
  readonly requests: Listed<SeenRequest>;
  /** Where both lists go on; empty at their end. */
  readonly nextPageToken: string;
  /** Differs when something in what follows does. */
  readonly digest: string;
}

/** What agent-runtime knows of a set of users. */
export interface ScopeFacts {
  readonly agents: Listed<SeenAgent>;
  readonly crons: Listed<SeenCron>;
  readonly heartbeats: Listed<SeenHeartbeat>;
  /** By the subuser's id. */
  readonly gateways: ReadonlyMap<string, SeenGateway>;
  /** Where the three lists go on; empty at their end. */
  readonly nextPageToken: string;
  /** Differs when something in what follows does. */
  readonly digest: string;
  /** When an agent falls asleep if nothing reaches it; 0 when none will. */
  readonly changesInMs: number;
}

/** What topology itself keeps of a set of users. */
export interface WiringFacts {
  readonly subscriptions: Listed<Subscription>;
  readonly channels: Listed<Channel>;
  readonly endpoints: Listed<Endpoint>;
  /** Where the lists go on; empty at their end. */
  readonly nextPageToken: string;
  /** Differs when something in what follows does. */
  readonly digest: string;
}
