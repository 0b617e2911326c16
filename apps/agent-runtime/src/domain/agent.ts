import type { Descriptor, DescriptorKind } from './descriptor';

/** An agent as it is stored: what it is and when it was last needed. What it did is its history. */
export interface Agent {
  readonly id: string;
  readonly userId: string;
  /** The owner, when the user is a subuser: it sees the agent too. */
  readonly ownerUserId: string | undefined;
  readonly kind: DescriptorKind;
  readonly descriptor: Descriptor;
  readonly foreground: boolean;
  readonly shard: number;
  readonly provider: string;
  readonly model: string;
  readonly createdAt: Date;
  /** When something other than a silent message last reached it. */
  readonly lastActiveAt: Date;
  /** When a person last wrote to it; undefined when none ever did. */
  readonly lastUserActivityAt: Date | undefined;
  readonly diedAt: Date | undefined;
  /** What people have allowed it; a reset does not take that away. Missing when there is nothing. */
  readonly grantedPermissions?: readonly string[];
}

/** What lists show of an agent, and what they are sorted by. */
export interface AgentOutline extends Pick<
  Agent,
  'id' | 'userId' | 'kind' | 'createdAt' | 'lastActiveAt' | 'diedAt'
> {
  readonly label: string;
}

export const lifecycles = ['active', 'sleeping', 'dead'] as const;
export type Lifecycle = (typeof lifecycles)[number];

/**
 * An agent falls asleep by doing nothing: there is no moment at which somebody has to write that down.
 * `busyAt` is when it last recorded anything that was not silent.
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

/** Whether a user may know of an agent: its own, or that of one of its subusers. */
export function isVisibleTo(agent: Pick<Agent, 'userId' | 'ownerUserId'>, userId: string): boolean {
  return agent.userId === userId || agent.ownerUserId === userId;
}
