import type { Trust } from '@daycare/api';

/** From the loosest to the strictest. */
export const verdicts = ['run', 'ask', 'refuse'] as const;

/** Whether a tool call runs, needs a person's approval first, or is refused. */
export type Verdict = (typeof verdicts)[number];

/** Verdicts by tool and trust; where one is omitted, the default applies. */
export type ToolRules = Readonly<Record<string, Readonly<Partial<Record<Trust, Verdict>>>>>;

/** What the owner has decided for a subuser or an agent, instead of the defaults. */
export interface ToolPolicy {
  readonly rules: ToolRules;
  /**
   * Whether anything that a subuser's agents read from its memory and files is kept private from its guests.
   */
  readonly isPrivate?: boolean;
}

export function stricterVerdict(one: Verdict, other: Verdict): Verdict {
  return verdicts.indexOf(one) >= verdicts.indexOf(other) ? one : other;
}
