/** A cell narrower than this is useless. */
const minWidth = 10;

/**
 * Narrows the widest shrinkable columns first, until all widths together fit into `maxWidth`. Other columns keep
 * their width, and no column shrinks below its heading or `minWidth`, so the result can still be too wide.
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
    const candidates = shrinkable.filter((index) => (fitted[index] ?? 0) > minOf(index));
    const widest = Math.max(...candidates.map((index) => fitted[index] ?? 0));
    const chosen = candidates.findLast((index) => fitted[index] === widest);
    if (chosen === undefined) break;
    fitted[chosen] = widest - 1;
    excess -= 1;
  }
  return fitted;
}
