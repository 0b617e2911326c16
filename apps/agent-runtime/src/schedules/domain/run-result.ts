import type { AttachedFile } from '../../agents';
import type { Run } from './run';

/** The facts about an ended run that decide what the person sees. */
export interface EndedRun {
  readonly outcome: Run['outcome'];
  readonly reason?: string | undefined;
  readonly answer: string;
  /** The files that were attached to the answer and still exist. */
  readonly files: readonly AttachedFile[];
}

/** The part of a run that is shown to the person. */
export interface RunResult {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/** Longer results are truncated; the agent's history has the whole answer. */
export const maxResultCharacters = 8_000;

/** The first half of a character that takes two UTF-16 units, at the end of a text. */
const halfCharacter = /[\ud800-\udbff]$/;

/** Matches an answer that says there is nothing to report. */
const nothing = /^\W*nothing(?: to report)?\W*$/i;

/**
 * Returns what the person sees of a run; undefined if the person sees nothing. If several runs in a row fail, only the
 * first failure is shown. An answered run's files are shown whatever its answer says.
 */
export function resultOf(
  { outcome, reason, answer, files }: EndedRun,
  hadFailedBefore: boolean,
): RunResult | undefined {
  if (outcome === 'failed')
    return hadFailedBefore ? undefined : { text: failureText(reason), files: [] };
  if (outcome !== 'answered') return undefined;
  const text = nothing.test(answer) ? '' : truncate(answer.trim());
  return text === '' && files.length === 0 ? undefined : { text, files: files.map(withoutText) };
}

function truncate(text: string): string {
  if (text.length <= maxResultCharacters) return text;
  return `${text.slice(0, maxResultCharacters).replace(halfCharacter, '')}…`;
}

/** Omits a file's text, which the agent in the conversation can read with a tool. */
function withoutText({ text: _text, isWhole: _isWhole, ...file }: AttachedFile): AttachedFile {
  return file;
}

function failureText(reason = ''): string {
  const why = reason.trim().replace(/\.+$/, '');
  return why === '' ? 'This run failed.' : `This run failed: ${why}.`;
}
