/** Printable ASCII, Latin letters, dashes, quotes, the ellipsis and box drawing: one column each, and nothing combines. */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2500-\u257f]*$/;

/** How many columns a text takes up in a terminal. */
export function textWidth(text: string): number {
  return narrow.test(text) ? text.length : loadStringWidth()(text);
}

/** Loaded only when it is needed: its emoji tables take longer to load than most commands take to run. */
function loadStringWidth(): (text: string) => number {
  // oxlint-disable-next-line typescript/no-require-imports -- import() would make every table asynchronous.
  const { default: stringWidth } = require('string-width') as {
    default: (text: string) => number;
  };
  return stringWidth;
}
