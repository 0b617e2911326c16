import type { Channel } from '../channels/channel';
import type { Endpoint } from '../endpoints/endpoint';
import type { Subscription } from '../signals/signal';
import type { Authored } from '../viewer';

export type Lifecycle = 'active' | 'sleeping' | 'dead';
export type AgentKind =
  | 'user'
  | 'subuser'
  | 'permanent'
  | 'app'
  | 'subagent'
  | 'cron'
  | 'heartbeat';
export type ShareStatus = 'pending' | 'active';
export type RequestState = 'pending_in' | 'pending_out';

export interface Agent extends Authored {
  readonly id: string;
  readonly userId: string;
  readonly kind: AgentKind;
  readonly label: string;
  readonly lifecycle: Lifecycle;
  /** A transient failure that the agent is waiting out before it continues. */
  readonly waiting?: { readonly for: string; readonly until: Date };
}

export interface Cron extends Authored {
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
  /** Absent when agent-runtime is too old to report it. */
  readonly status?: 'active' | 'paused' | 'finished' | undefined;
  readonly overlap?: 'skip' | 'queue' | 'replace' | undefined;
  readonly quiet: boolean;
  readonly lastRun?: ScheduleRun | undefined;
}

/** The newest run of a schedule. */
export interface ScheduleRun {
  readonly dueAt?: Date | undefined;
  readonly startedAt?: Date | undefined;
  readonly endedAt?: Date | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly reason: string;
  readonly manual: boolean;
  readonly agentId: string;
}

export type RunOutcome =
  | 'running'
  | 'queued'
  | 'waiting'
  | 'answered'
  | 'failed'
  | 'stopped'
  | 'skipped'
  | 'replaced';

export interface Heartbeat extends Authored {
  readonly id: string;
  readonly userId: string;
  readonly title: string;
  readonly prompt: string;
  readonly lastRunAt?: Date | undefined;
  readonly createdAt?: Date | undefined;
  readonly quiet: boolean;
  readonly lastRun?: ScheduleRun | undefined;
}

/** The agent through which a subuser is reached. */
export interface Gateway extends Authored {
  readonly agentId: string;
  readonly lifecycle: Lifecycle;
}

/** `none`: agent-runtime returned none. `unknown`: agent-runtime was not asked, or did not respond. */
export type MissingGateway = 'none' | 'unknown';

export interface Subuser {
  readonly id: string;
  readonly name: string;
  readonly nametag: string;
  readonly gateway: Gateway | MissingGateway;
}

export interface Share {
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly subuserName: string;
  readonly subuserDescription: string;
  readonly status: ShareStatus;
  readonly offeredAt?: Date | undefined;
  readonly acceptedAt?: Date | undefined;
  /** Without its lifecycle, because only the owner may see whether a shared subuser is awake. */
  readonly gateway: Pick<Gateway, 'agentId'> | MissingGateway;
}

export interface Friend {
  readonly nametag: string;
  readonly sharesOut: readonly Share[];
  readonly sharesIn: readonly Share[];
}

export interface FriendRequest {
  readonly nametag: string;
  readonly state: RequestState;
  readonly since: Date;
}

/** Part of a list, and the length of the whole list. */
export interface Listed<T> {
  readonly entries: readonly T[];
  readonly count: number;
}

/** A page of a source's lists. */
interface SourcePage {
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Changes whenever an entry changes, whichever page it is on. */
  readonly digest: string;
}

/** The viewer's subusers, from identity; all gateways are still unknown. */
export interface SubuserFacts {
  readonly subusers: readonly Subuser[];
  /** The viewer has more subusers than are read. */
  readonly isTruncated: boolean;
  /** Changes whenever one of the subusers changes. */
  readonly digest: string;
}

/** The viewer's friends, from social-graph; all gateways are still unknown. */
export interface FriendFacts extends SourcePage {
  readonly friends: Listed<Friend>;
  readonly requests: Listed<FriendRequest>;
}

/** The agents and schedules of a set of users, from agent-runtime. */
export interface ScopeFacts extends SourcePage {
  readonly agents: Listed<Agent>;
  readonly crons: Listed<Cron>;
  readonly heartbeats: Listed<Heartbeat>;
  /** The gateways by subuser id. */
  readonly gateways: ReadonlyMap<string, Gateway>;
  /** Like `digest`, but ignores the gateways. */
  readonly listDigest: string;
  /** How soon the next agent falls asleep if no message reaches it; 0 if none will. */
  readonly changesInMs: number;
}

/** How the agents of a set of users are wired, from topology's own database. */
export interface WiringFacts extends SourcePage {
  readonly subscriptions: Listed<Subscription>;
  readonly channels: Listed<Channel>;
  readonly endpoints: Listed<Endpoint>;
}
