const mostCharacters = 240;
const leadIn = 60;

/** The piece of a text around the first of these words (small letters), or its beginning, on one line. */
export function excerptOf(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const start = startOf(line, words);
  const piece = Array.from(line.slice(start)).slice(0, mostCharacters).join('').trim();
  const isEnd = start + piece.length >= line.length;
  return `${start > 0 ? '… ' : ''}${piece}${isEnd ? '' : ' …'}`;
}

/** After a blank, so that no word and no character is halved. */
function startOf(line: string, words: readonly string[]): number {
  const plain = line.toLowerCase();
  const places = words.map((word) => plain.indexOf(word)).filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  return first <= leadIn ? 0 : line.lastIndexOf(' ', first - leadIn) + 1;
}
