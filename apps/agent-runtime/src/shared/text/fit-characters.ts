/**
 * The elements, in order, that fit into this many characters of JSON. One that is too long is
 * omitted, so that it cannot hide those after it.
 */
export function fitCharacters<T>(elements: readonly T[], maxCharacters: number): readonly T[] {
  let left = maxCharacters;
  return elements.filter((element) => {
    const length = JSON.stringify(element).length + ','.length;
    if (length > left) return false;
    left -= length;
    return true;
  });
}
