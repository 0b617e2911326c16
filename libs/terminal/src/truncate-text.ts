import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();
const ellipsis = '…';

/** Cuts a text to at most `maxWidth` columns, between whole characters; a cut text ends in `…`. */
export function truncateText(text: string, maxWidth: number): string {
  if (stringWidth(text) <= maxWidth) return text;
  let kept = '';
  let width = stringWidth(ellipsis);
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  return `${kept}${ellipsis}`;
}
