import { textWidth } from '@daycare/terminal';

/** Matches the escape sequences of colours, which take no columns. */
export const colour = /\u001b\[\d+m/g;
/** What a line may begin with: the bars of a quotation, indentation, and the bullet or number of a list item. */
const opening = /^((?:│ )*)(\s*(?:• |\d+[.)] )?)/;

/**
 * Breaks a line between words if it does not fit. The rows after the first keep the bars of a quotation and align with
 * the text of a list item, unless that would take up half of the columns or more.
 */
export function wrapLine(line: string, columns: number): string {
  const plain = line.replace(colour, '');
  if (textWidth(plain) <= columns) return line;
  const [, bars = '', before = ''] = opening.exec(plain) ?? [];
  const indent = bars + ' '.repeat(before.length);
  const isShort = textWidth(indent) < columns / 2;
  return breakWords(line, columns, isShort ? indent : '');
}

function breakWords(line: string, columns: number, indent: string): string {
  const [first = '', ...words] = line.split(/(?<=\S) +/);
  const rows = [first];
  let width = widthOf(first);
  for (const word of words) {
    const added = widthOf(word) + 1;
    const fits = width + added <= columns;
    if (fits) rows.push(`${rows.pop()} ${word}`);
    else rows.push(indent + word);
    width = fits ? width + added : textWidth(indent) + added - 1;
  }
  return rows.join('\n');
}

function widthOf(text: string): number {
  return textWidth(text.replace(colour, ''));
}
