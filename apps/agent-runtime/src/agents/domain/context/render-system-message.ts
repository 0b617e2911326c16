const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

// Code points that XML 1.0 does not allow.
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/**
 * Renders, for a model, a message that is not from the person whom the agent serves. Nothing in it can break out of the
 * tag.
 */
export function renderSystemMessage(origin: string, text: string, name?: string): string {
  const named = name === undefined ? '' : ` name="${escapeXml(name)}"`;
  return `<system_message origin="${escapeXml(origin)}"${named}>${escapeXml(text)}</system_message>`;
}

function escapeXml(text: string): string {
  return text.replace(notXml, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const tagName = 'system_message';

// The character that opens a tag, and its look-alikes.
const openings =
  /[<\u00ab\u02c2\u1438\u2039\u226e\u227a\u2329\u276c\u276e\u27e8\u27ea\u29fc\u3008\u300a\ufe64\uff1c]/gu;

// Characters that do not change how a tag reads: blanks, slashes and invisible ones. A long run of them is
// matched in pieces, because matching all of it at once could overflow the stack.
const ignorable =
  /[\s\p{C}\p{M}\u115f\u1160\u3164/\\\u2044\u2215\u2571\u27cb\u29f8\uff0f]{1,1000}/uy;

const connectors = /[\p{Pc}\p{Pd}]/gu;

// Lower-case letters of other alphabets that look like those of the tag's name.
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  ['sѕꜱ', 'yуүυγʏ', 'tтτᴛ', 'eеεєᴇ', 'mмμᴍ', 'aаαɑᴀ', 'gɡԍɢց'].flatMap(([letter = '', ...others]) =>
    others.map((other) => [other, letter]),
  ),
);

/**
 * Renders a person's text for a model: unchanged, except that the opening of anything that reads
 * like a system message tag is escaped, so that no one can pose as the system.
 */
export function renderPersonText(text: string): string {
  return text.replace(openings, (opening, at: number) =>
    startsTag(text, at + opening.length) ? '&lt;' : opening,
  );
}

/** Reports whether text reads like the tag. Stops at the next possible opening, so that text is scanned about once. */
function startsTag(text: string, from: number): boolean {
  let at = skipIgnorable(text, from);
  let read = 0;
  while (read < tagName.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const letters = foldCharacter(character);
    if (letters === '' || !tagName.startsWith(letters, read)) return false;
    read += letters.length;
    at = skipIgnorable(text, at + character.length);
  }
  return true;
}

function skipIgnorable(text: string, from: number): number {
  ignorable.lastIndex = from;
  let at = from;
  while (ignorable.test(text)) at = ignorable.lastIndex;
  return at;
}

/** Returns what a character looks like: lower-case letters without accents, or `_` for any connector. */
function foldCharacter(character: string): string {
  // The fast path for most characters, because text may be full of possible openings.
  if (/^[\0-,.-\x7f]$/.test(character)) return character.toLowerCase();
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').replace(connectors, '_');
  return Array.from(plain.toLowerCase(), (letter) => lookalikes[letter] ?? letter).join('');
}
