import { AppError, type Trust } from '@daycare/api';
import type { Descriptor, DescriptorKind } from './descriptor/descriptor';
import { labelOf } from './descriptor/descriptor-kinds';
import type { ToolPolicy } from './tool-rules';

export interface AgentAddress {
  readonly agentId: string;
  readonly userId: string;
}

/** An agent as stored: its identity and recent activity. Its actions are in its history. */
export interface Agent {
  readonly id: string;
  readonly userId: string;
  /** The owner of the agent's user, if that user is a subuser; the owner sees the agent too. */
  readonly ownerUserId: string | undefined;
  readonly kind: DescriptorKind;
  readonly descriptor: Descriptor;
  readonly foreground: boolean;
  readonly shard: number;
  /**
   * The models chosen for this agent alone: the one to use, and its fallbacks; absent if none were chosen.
   */
  readonly models?: readonly AgentModel[];
  readonly createdAt: Date;
  /**
   * When it last received or recorded anything that is not silent. It may be a second too early, because it is written
   * at most once a second unless a person writes to the agent. After a crash it can be older than the newest entry in
   * the history.
   */
  readonly lastActiveAt: Date;
  /** When a person last wrote to it; undefined if never. */
  readonly lastUserActivityAt: Date | undefined;
  readonly diedAt: Date | undefined;
  /**
   * Present from its first call that sends a channel message or emits a signal, even if that call is refused: its
   * direct messages must not overtake what it sends that way.
   */
  readonly isWired?: true;
  /** Its tool policy, where that differs from the defaults. */
  readonly toolPolicy?: ToolPolicy;
  /**
   * The trust of the turn that wrote its system prompt, if that turn was not the user's own. None of the
   * agent's turns is trusted more than that.
   */
  readonly promptTrust?: Trust;
  /** The trust of the turn that named it, if the words were not the user's own. */
  readonly nameTrust?: Trust;
  /** The connector whose client receives its records; absent when no client does. */
  readonly feed?: string;
  /** What its work is waiting for. A crash can leave this outdated, so it is ignored once its `until` has passed. */
  readonly waiting?: AgentWait;
}

/** A transient failure that an agent is waiting out, such as a provider's rate limit. */
export interface AgentWait {
  readonly for: string;
  readonly until: Date;
}

/** Identifies a model by its provider and the provider's own name for it. */
export interface AgentModel {
  readonly provider: string;
  readonly id: string;
}

/** Returns the name that models see; an agent named in a guest's or outsider's turn is shown by its kind and id. */
export function labelForModels({
  id,
  kind,
  descriptor,
  nameTrust,
}: Pick<Agent, 'id' | 'kind' | 'descriptor' | 'nameTrust'>): string {
  return nameTrust ? `${kind}:${id}` : labelOf(descriptor);
}

/** The fields of an agent that are shown in lists or used to sort them. */
export interface AgentOutline extends Pick<
  Agent,
  'id' | 'userId' | 'kind' | 'createdAt' | 'lastActiveAt' | 'diedAt' | 'nameTrust'
> {
  readonly label: string;
  readonly waiting?: AgentWait | undefined;
}

export type Lifecycle = 'active' | 'sleeping' | 'dead';

/**
 * Returns an agent's lifecycle. Sleep is computed, not stored: an agent sleeps once it has received and recorded
 * nothing, or only silent messages, for `sleepAfterMs`. `busyAt` is when it last recorded anything that was not silent.
 */
export function lifecycleOf(
  { diedAt, lastActiveAt }: Pick<Agent, 'diedAt' | 'lastActiveAt'>,
  busyAt: Date | undefined,
  now: Date,
  sleepAfterMs: number,
): Lifecycle {
  if (diedAt) return 'dead';
  const lastMs = Math.max(lastActiveAt.getTime(), busyAt?.getTime() ?? 0);
  return now.getTime() - lastMs < sleepAfterMs ? 'active' : 'sleeping';
}

/** The error for a call that needs a living agent. */
export function agentDead(): AppError {
  return new AppError('FAILED_PRECONDITION', 'The agent is dead');
}

/** A user sees its own agents and its subusers' agents. */
export function isVisibleTo(agent: Pick<Agent, 'userId' | 'ownerUserId'>, userId: string): boolean {
  return agent.userId === userId || agent.ownerUserId === userId;
}

/** Returns the user whose limits apply to a user: its owner, or the user itself. */
export function limitOwnerId({
  userId,
  ownerUserId,
}: Pick<Agent, 'userId' | 'ownerUserId'>): string {
  return ownerUserId ?? userId;
}

/** Reports whether an agent belongs to a top-level user rather than a subuser. */
export function isTopLevel({ ownerUserId }: Pick<Agent, 'ownerUserId'>): boolean {
  return ownerUserId === undefined;
}
