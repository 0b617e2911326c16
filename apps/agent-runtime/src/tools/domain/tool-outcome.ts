import { lowestTrust, type Trust } from '@daycare/api';
import type { FileReference } from '../../agents';

/** The result of a tool call as it is recorded. */
export interface ToolOutcome {
  /** The result as JSON; if it was too long, a JSON string with its beginning. */
  readonly resultJson: string;
  readonly truncated: boolean;
  readonly isError: boolean;
  /** The lowest trust among the authors of the text that was read; absent when it is all the user's own. */
  readonly provenance?: Trust;
  /** Set when the text that was read is private to the user and must not be shown to guests. */
  readonly isPrivate?: true;
  /** The guest or outsider whose words were read, or `several`; absent if there were none. */
  readonly foreignWriter?: string;
  /** The files that the call has attached to the answer; absent when there are none. */
  readonly files?: readonly FileReference[];
}

/** Facts about a tool's result besides its text. */
export interface ResultLabel {
  /** The lowest trust among the authors of the text that was read. */
  readonly provenance?: Trust | undefined;
  /**
   * Whether the text is private to the user and must not be shown to guests; by default, the tool's row in
   * the tool policy decides.
   */
  readonly isPrivate?: boolean | undefined;
  /** The files that the call has attached to the answer. */
  readonly files?: readonly FileReference[] | undefined;
}

/** A result together with its label. */
export class LabelledResult {
  constructor(
    readonly result: unknown,
    readonly label: ResultLabel,
  ) {}
}

/** Adds a label to a result; for tools that know who wrote the text they have read, or whether it is private. */
export function labelled(result: unknown, label: ResultLabel): LabelledResult {
  return new LabelledResult(result, label);
}

/** Returns the label for a list whose entries each have their own trust. */
export function labelOfEntries(
  entries: readonly { readonly trust: Trust }[],
): Pick<ResultLabel, 'provenance'> {
  const [first, ...others] = entries.map(({ trust }) => trust);
  if (first === undefined) return {};
  return { provenance: lowestTrust(first, ...others) };
}

/** Returns the label for a list of entries whose names other users may have chosen. */
export function labelOfNames(
  entries: readonly { readonly writtenBy?: Trust | undefined }[],
): Pick<ResultLabel, 'provenance'> {
  const [first, ...others] = entries.flatMap(({ writtenBy }) => writtenBy ?? []);
  return first === undefined ? {} : { provenance: lowestTrust(first, ...others) };
}

const maxCharacters = 8_000;

/** Truncates a result that is too long and appends a note that says so. */
export function truncateResult(result: unknown): ToolOutcome {
  const json = JSON.stringify(result);
  if (json.length <= maxCharacters) return { resultJson: json, truncated: false, isError: false };
  const beginning = dropSplitCharacter(json.slice(0, maxCharacters));
  const note = `… [truncated: ${json.length - beginning.length} of ${json.length} characters omitted]`;
  return { resultJson: JSON.stringify(beginning + note), truncated: true, isError: false };
}

/** Drops the first half of a surrogate pair whose second half was removed. */
function dropSplitCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
