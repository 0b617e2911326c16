import type { Trust } from '@daycare/api';

/** From the loosest to the strictest. */
export const verdicts = ['run', 'ask', 'refuse'] as const;

/** Whether a tool call runs, needs a person's approval first, or is refused. */
export type Verdict = (typeof verdicts)[number];

/** Verdicts by tool and trust; where one is omitted, the default applies. */
export type ToolRules = Readonly<Record<string, Readonly<Partial<Record<Trust, Verdict>>>>>;

/** What a user has decided for a subuser or an agent, instead of the defaults. */
export interface ToolPolicy {
  readonly rules: ToolRules;
  /**
   * If true, a subuser's guests may see neither what its agents read from its memory and files nor what other guests
   * write. Only for subusers; absent in the policy of an agent.
   */
  readonly isPrivate?: boolean;
}

export function stricterVerdict(one: Verdict, other: Verdict): Verdict {
  return verdicts.indexOf(one) >= verdicts.indexOf(other) ? one : other;
}
