import type { Run } from './run';

/** The facts about an ended run that decide what the person sees. */
export interface EndedRun {
  readonly outcome: Run['outcome'];
  readonly reason?: string | undefined;
  readonly answer: string;
}

/** Longer results are cut; the agent's history has all of it. */
export const maxResultCharacters = 8_000;

/** The first half of a character that takes two units. */
const halfCharacter = /[\ud800-\udbff]$/;

/** The word with which an agent says that there is nothing to report. */
const nothing = /^\W*nothing(?: to report)?\W*$/i;

/**
 * The text about a run for the person; undefined when nothing is shown. A failure is shown once, not
 * again with every further run that fails.
 */
export function resultText(
  { outcome, reason, answer }: EndedRun,
  hadFailedBefore: boolean,
): string | undefined {
  if (outcome === 'failed') return hadFailedBefore ? undefined : failureText(reason);
  const text = answer.trim();
  if (outcome !== 'answered' || text === '' || nothing.test(text)) return undefined;
  return text.length <= maxResultCharacters
    ? text
    : `${text.slice(0, maxResultCharacters).replace(halfCharacter, '')}…`;
}

function failureText(reason = ''): string {
  const why = reason.trim().replace(/\.+$/, '');
  return why === '' ? 'This run failed.' : `This run failed: ${why}.`;
}
