import { textWidth } from './text-width';

const ellipsis = '…';

/** Cuts a text to at most `maxWidth` columns, between whole characters; a cut text ends in `…`. */
export function truncateText(text: string, maxWidth: number): string {
  if (textWidth(text) <= maxWidth) return text;
  let kept = '';
  let width = textWidth(ellipsis);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += textWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  return `${kept}${ellipsis}`;
}
