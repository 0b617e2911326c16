import { textWidth } from './text-width';

const ellipsis = '…';

/** Truncates text to at most `maxWidth` columns, never inside a character; truncated text ends in `…`. */
export function truncateText(text: string, maxWidth: number): string {
  if (textWidth(text) <= maxWidth) return text;
  let prefix = '';
  let width = textWidth(ellipsis);
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += textWidth(segment);
    if (width > maxWidth) break;
    prefix += segment;
  }
  return `${prefix}${ellipsis}`;
}
