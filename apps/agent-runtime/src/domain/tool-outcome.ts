/** What a tool gave back, as it is recorded. */
export interface ToolOutcome {
  /** A JSON value; a JSON string when it was cut. */
  readonly resultJson: string;
  readonly truncated: boolean;
  readonly isError: boolean;
}

const mostCharacters = 8_000;

/** A result that is too long is cut, and says so. */
export function cutResult(result: unknown): ToolOutcome {
  const json = JSON.stringify(result);
  if (json.length <= mostCharacters) return { resultJson: json, truncated: false, isError: false };
  const kept = wellFormed(json.slice(0, mostCharacters));
  const note = `… [cut: ${json.length - kept.length} of ${json.length} characters left out]`;
  return { resultJson: JSON.stringify(kept + note), truncated: true, isError: false };
}

/** A cut must not leave half of a character behind. */
function wellFormed(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
