/**
 * Returns the longest beginning of a text that fits into this many characters of JSON, without splitting a
 * character.
 */
export function truncateForJson(text: string, maxCharacters: number): string {
  let left = maxCharacters - '""'.length;
  let end = 0;
  for (const character of text) {
    left -= JSON.stringify(character).length - '""'.length;
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
