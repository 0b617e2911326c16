/** The rows of a long list that are on the page, and the space that the others take up. */
export interface Window {
  readonly first: number;
  /** The index after the last row. */
  readonly end: number;
  /** The height of the rows before these, in pixels. */
  readonly heightBefore: number;
  readonly heightAfter: number;
}

/** Returns the position of each row and of the end of the list. */
export function offsetsOf(heights: readonly number[]): readonly number[] {
  const offsets = [0];
  for (const height of heights) offsets.push((offsets.at(-1) ?? 0) + height);
  return offsets;
}

/** Returns the rows between two positions, with a margin on either side. */
export function windowOf(
  offsets: readonly number[],
  from: number,
  to: number,
  margin: number,
): Window {
  const total = offsets.at(-1) ?? 0;
  const first = rowAt(offsets, from - margin);
  const end = Math.min(rowAt(offsets, to + margin) + 1, offsets.length - 1);
  return {
    first,
    end,
    heightBefore: offsets[first] ?? 0,
    heightAfter: total - (offsets[end] ?? total),
  };
}

/** Returns the row at a position; the first or last row for positions outside the list. */
export function rowAt(offsets: readonly number[], position: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
