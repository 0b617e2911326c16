/** What keeps agents that set each other to work from doing so for ever. */
export interface RunawayGuards {
  /** How many agents in a row may cause a message. */
  readonly maxHops: number;
  /** How many background agents of a user may be awake at once. */
  readonly maxSubagents: number;
  /** How deep background agents may start background agents. */
  readonly maxDepth: number;
}

export type GuardRefusal = 'too_many_hops' | 'too_many_subagents' | 'too_deep';

export function refuseMessage(hops: number, { maxHops }: RunawayGuards): GuardRefusal | undefined {
  return hops > maxHops ? 'too_many_hops' : undefined;
}

/** `depth` is that of the agent to be started: 1 for one that no background agent starts. */
export function refuseSubagent(
  { hops, depth, awake }: { hops: number; depth: number; awake: number },
  guards: RunawayGuards,
): GuardRefusal | undefined {
  if (depth > guards.maxDepth) return 'too_deep';
  if (awake >= guards.maxSubagents) return 'too_many_subagents';
  return refuseMessage(hops, guards);
}

/** In words for a model. */
export const guardWording: Readonly<Record<GuardRefusal, string>> = {
  too_many_hops: 'Agents have passed this on too often in a row; ask the user before going on',
  too_many_subagents: 'Too many background agents are at work; wait until some have finished',
  too_deep: 'Background agents are nested too deeply; do the work here',
};
