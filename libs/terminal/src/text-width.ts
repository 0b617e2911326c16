/**
 * Printable ASCII, Latin letters, dashes, quotes, the ellipsis and box drawing: each one column wide, none combining.
 */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2500-\u257f]*$/;

/** Returns how many terminal columns a string takes up. */
export function textWidth(text: string): number {
  return narrow.test(text) ? text.length : loadStringWidth()(text);
}

/** Loads string-width only when needed, because its emoji tables take longer to load than most commands take to run. */
function loadStringWidth(): (text: string) => number {
  // oxlint-disable-next-line typescript/no-require-imports -- import() would make every table asynchronous.
  const { default: stringWidth } = require('string-width') as {
    default: (text: string) => number;
  };
  return stringWidth;
}
