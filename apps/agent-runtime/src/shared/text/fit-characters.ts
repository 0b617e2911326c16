/** The entries that fit, and the number of those that were omitted. */
export interface FittedList<T> {
  readonly shown: readonly T[];
  readonly omitted: number;
}

/** Like `fitCharacters`, but also returns the number of omitted entries. */
export function fitList<T>(elements: readonly T[], maxCharacters: number): FittedList<T> {
  const shown = fitCharacters(elements, maxCharacters);
  return { shown, omitted: elements.length - shown.length };
}

/**
 * Returns the elements, in order, that fit into this many characters of JSON. An element that is too long is
 * omitted, so that it cannot hide those after it.
 */
export function fitCharacters<T>(elements: readonly T[], maxCharacters: number): readonly T[] {
  let remaining = maxCharacters;
  return elements.filter((element) => {
    const length = JSON.stringify(element).length + ','.length;
    if (length > remaining) return false;
    remaining -= length;
    return true;
  });
}
