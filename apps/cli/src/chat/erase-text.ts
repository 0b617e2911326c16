/** Characters that take exactly one column, and line breaks. */
const countable = /^[\n\u0020-\u007e\u00a1-\u02ff\u2010-\u2027]*$/;

/**
 * What a terminal is told to take back a text that stands before the cursor. Undefined when it cannot:
 * a part has scrolled away, or it is not certain how many columns the text takes.
 */
export function eraseText(
  text: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string | undefined {
  if (!countable.test(text)) return undefined;
  const taken = text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  if (taken >= rows) return undefined;
  return `${taken > 1 ? `\u001b[${taken - 1}A` : ''}\r\u001b[J`;
}
