/** Stands for the data of an inline image, whatever its size. */
export const imagePlaceholder = '<image>';

// Every part is bounded, so that even text full of partial matches is scanned only once. JSON may escape slashes.
const imageHead =
  /data:image\\?\/[a-z0-9.+-]{1,64}(?:;[a-z0-9-]{1,64}=[a-z0-9._-]{1,64}){0,4};base64,/gi;

/** Replaces each `data:image/…;base64,…` with a placeholder; returns the same string when there are none. */
export function replaceInlineImages(text: string): string {
  const parts: string[] = [];
  const heads = imageHead;
  heads.lastIndex = 0;
  let from = 0;
  for (let head = heads.exec(text); head; head = heads.exec(text)) {
    parts.push(text.slice(from, head.index), imagePlaceholder);
    from = endOfBase64(text, heads.lastIndex);
    heads.lastIndex = from;
  }
  return from === 0 ? text : copyOf([...parts, text.slice(from)].join(''));
}

/** A slice of a string keeps the whole string in memory; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

const base64Codes: ReadonlySet<number> = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=', (character) =>
    character.charCodeAt(0),
  ),
);
const slashCode = '/'.charCodeAt(0);
const backslashCode = '\\'.charCodeAt(0);

/** Scans by hand: a regular expression could overflow the stack on megabytes. */
function endOfBase64(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const isEscapedSlash = code === backslashCode && text.charCodeAt(at + 1) === slashCode;
    if (!isEscapedSlash && !base64Codes.has(code)) return at;
    at += 1;
  }
  return at;
}
