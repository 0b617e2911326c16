/** Matches text that consists of line breaks and characters that take exactly one column. */
const measurable = /^[\n\u0020-\u007e\u00a1-\u02ff\u2010-\u2027]*$/;

/**
 * Returns the terminal sequence that erases the given text before the cursor; undefined when that is impossible
 * because part of the text has scrolled off the screen or its width in columns is uncertain.
 */
export function eraseText(
  text: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string | undefined {
  if (!measurable.test(text)) return undefined;
  const usedRows = text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  if (usedRows >= rows) return undefined;
  return `${usedRows > 1 ? `\u001b[${usedRows - 1}A` : ''}\r\u001b[J`;
}
