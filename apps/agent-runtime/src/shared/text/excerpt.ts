const maxCharacters = 240;
const leadIn = 60;

/**
 * Returns the part of a text around the first occurrence of any of these (lower-case) words, or its beginning, on one
 * line.
 */
export function excerptOf(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const start = startOf(line, words);
  const piece = Array.from(line.slice(start)).slice(0, maxCharacters).join('').trim();
  const isEnd = start + piece.length >= line.length;
  return `${start > 0 ? '… ' : ''}${piece}${isEnd ? '' : ' …'}`;
}

/** Starts after a space, so that no word or character is split. */
function startOf(line: string, words: readonly string[]): number {
  const plain = line.toLowerCase();
  const positions = words.map((word) => plain.indexOf(word)).filter((position) => position >= 0);
  const first = positions.length > 0 ? Math.min(...positions) : 0;
  return first <= leadIn ? 0 : line.lastIndexOf(' ', first - leadIn) + 1;
}
