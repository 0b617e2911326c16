const maxCharacters = 7_000;

/**
 * Returns a list's entries from `offset` on: as many as fit into a tool result, but at least one if there is any. Also
 * returns the offset of the next part, if there is one.
 */
export function pageOf<T>(
  all: readonly T[],
  offset: number,
): { readonly entries: readonly T[]; readonly nextOffset?: number } {
  let [remaining, end] = [maxCharacters, offset];
  while (end < all.length) {
    remaining -= JSON.stringify(all[end]).length + ','.length;
    if (remaining < 0 && end > offset) break;
    end += 1;
  }
  return { entries: all.slice(offset, end), ...(end < all.length ? { nextOffset: end } : {}) };
}
