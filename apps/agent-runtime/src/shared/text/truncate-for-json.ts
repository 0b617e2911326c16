/**
 * Returns the longest beginning of a text that fits into this many characters of JSON, without splitting a
 * character.
 */
export function truncateForJson(text: string, maxCharacters: number): string {
  let remaining = maxCharacters - '""'.length;
  let end = 0;
  for (const character of text) {
    remaining -= JSON.stringify(character).length - '""'.length;
    if (remaining < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
