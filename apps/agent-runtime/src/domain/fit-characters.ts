/**
 * The elements, in order, that fit into so many characters of JSON. One that is too long is left out,
 * so that it cannot hide those after it.
 */
export function fitCharacters<T>(elements: readonly T[], mostCharacters: number): readonly T[] {
  let left = mostCharacters;
  return elements.filter((element) => {
    const length = JSON.stringify(element).length + ','.length;
    if (length > left) return false;
    left -= length;
    return true;
  });
}
