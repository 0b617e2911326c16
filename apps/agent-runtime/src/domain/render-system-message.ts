const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

// Everything that XML 1.0 does not call a character.
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** What reached the agent from anybody but a person, as a model reads it. Origin and text cannot end the tag. */
export function renderSystemMessage(origin: string, text: string): string {
  return `<system_message origin="${escapeXml(origin)}">${escapeXml(text)}</system_message>`;
}

function escapeXml(text: string): string {
  return text.replace(notXml, '').replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

const tagName = 'system_message';

// The sign that begins a tag, and others that look like it.
const openings =
  /[<\u00ab\u02c2\u1438\u2039\u226e\u227a\u2329\u276c\u276e\u27e8\u27ea\u29fc\u3008\u300a\ufe64\uff1c]/gu;

// What may stand anywhere in a tag without changing how it reads: blanks, slashes and what nobody sees.
// Read in pieces, because an expression could run out of stack on a long run.
const unread = /[\s\p{C}\p{M}\u115f\u1160\u3164/\\\u2044\u2215\u2571\u27cb\u29f8\uff0f]{1,1000}/uy;

const connectors = /[\p{Pc}\p{Pd}]/gu;

// Letters of other alphabets, in lower case, that look like those of the tag's name.
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  ['sѕꜱ', 'yуүυγʏ', 'tтτᴛ', 'eеεєᴇ', 'mмμᴍ', 'aаαɑᴀ', 'gɡԍɢց'].flatMap(([letter = '', ...others]) =>
    others.map((other) => [other, letter]),
  ),
);

/**
 * A person's words as a model reads them: as they are, but for the sign before anything that reads like
 * the tag of a system message. Nobody can pose as the system.
 */
export function renderPersonText(text: string): string {
  return text.replace(openings, (sign, at: number) =>
    beginsTag(text, at + sign.length) ? '&lt;' : sign,
  );
}

/** Reads up to the next sign that could begin a tag at most, so that a whole text is read about once. */
function beginsTag(text: string, from: number): boolean {
  let at = skipUnread(text, from);
  let read = 0;
  while (read < tagName.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const letters = foldCharacter(character);
    if (letters === '' || !tagName.startsWith(letters, read)) return false;
    read += letters.length;
    at = skipUnread(text, at + character.length);
  }
  return true;
}

function skipUnread(text: string, from: number): number {
  unread.lastIndex = from;
  let at = from;
  while (unread.test(text)) at = unread.lastIndex;
  return at;
}

/** How a character reads: in plain small letters without accents, with `_` for all that joins words. */
function foldCharacter(character: string): string {
  // Most characters are of this sort, and a text may be full of signs that could begin a tag.
  if (/^[\0-,.-\x7f]$/.test(character)) return character.toLowerCase();
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').replace(connectors, '_');
  return Array.from(plain.toLowerCase(), (letter) => lookalikes[letter] ?? letter).join('');
}
