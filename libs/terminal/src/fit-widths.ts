/** Narrower than this, a cell says nothing. */
const minWidth = 10;

/**
 * Widths that together fit into `maxWidth`, taking from the widest shrinkable columns first. Columns that may not
 * shrink keep theirs, and none becomes narrower than its heading, so the result can still be too wide.
 */
export function fitWidths(
  columns: readonly { readonly headingWidth: number; readonly canShrink: boolean }[],
  widths: readonly number[],
  maxWidth: number,
): number[] {
  const fitted = [...widths];
  const minOf = (index: number): number => Math.max(minWidth, columns[index]?.headingWidth ?? 0);
  const shrinkable = columns.flatMap(({ canShrink }, index) => (canShrink ? [index] : []));
  let excess = widths.reduce((sum, width) => sum + width, 0) - maxWidth;
  while (excess > 0) {
    const open = shrinkable.filter((index) => (fitted[index] ?? 0) > minOf(index));
    const widest = Math.max(...open.map((index) => fitted[index] ?? 0));
    const at = open.findLast((index) => fitted[index] === widest);
    if (at === undefined) break;
    fitted[at] = widest - 1;
    excess -= 1;
  }
  return fitted;
}
