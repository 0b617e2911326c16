/** As much of the beginning of a text as fits into so many characters of JSON; no character is halved. */
export function cutText(text: string, mostCharacters: number): string {
  let left = mostCharacters - '""'.length;
  let end = 0;
  for (const character of text) {
    left -= JSON.stringify(character).length - '""'.length;
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
