/** Limits that stop agents from triggering each other endlessly. */
export interface RunawayGuards {
  /** The longest chain of agents that may lead to a message. */
  readonly maxHops: number;
  /** How many background agents of an owner and its subusers may be awake at the same time. */
  readonly maxSubagents: number;
  /** How deeply background agents may be nested. */
  readonly maxDepth: number;
}

export type GuardRefusal = 'too_many_hops' | 'too_many_subagents' | 'too_deep';

/** Returns why a message is refused; undefined when it may be sent. */
export function messageRefusal(hops: number, { maxHops }: RunawayGuards): GuardRefusal | undefined {
  return hops > maxHops ? 'too_many_hops' : undefined;
}

/**
 * Returns why a new background agent is refused; undefined when it may be started. `depth` is the depth of the new
 * agent: 1 if its parent is not a background agent.
 */
export function subagentRefusal(
  { hops, depth, awakeSubagents }: { hops: number; depth: number; awakeSubagents: number },
  guards: RunawayGuards,
): GuardRefusal | undefined {
  if (depth > guards.maxDepth) return 'too_deep';
  if (awakeSubagents >= guards.maxSubagents) return 'too_many_subagents';
  return messageRefusal(hops, guards);
}

/** Messages for a model. */
export const guardWording: Readonly<Record<GuardRefusal, string>> = {
  too_many_hops: 'Too many agents in a row have passed this on; ask the user before continuing',
  too_many_subagents: 'Too many background agents are running; wait until some have finished',
  too_deep: 'Background agents are nested too deeply; do the work here',
};
