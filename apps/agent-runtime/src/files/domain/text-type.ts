const binary = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;
const documentTags: ReadonlySet<string> = new Set(
  'html head body script iframe style title'.split(' '),
);
const fragmentTags: ReadonlySet<string> = new Set('h1 div font table a b br p'.split(' '));
const plainClaim =
  /^text\/(?!html$|xml$|rtf$)|^application\/(yaml|x-yaml|toml|jsonl|x-ndjson|sql|javascript|typescript|x-sh)$/;
const xmlClaim = /^(text|application)\/xml$|^application\/(?!xhtml\+xml$)[\w.-]+\+xml$/;
const jsonClaim = /^application\/[\w.-]+\+json$/;
/** The constructs that may precede the root element, and how each ends. */
const prologs = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!doctype', '>'],
] as const;

/**
 * Decodes bytes as UTF-8; undefined if they are not text. The last character may be incomplete unless
 * `isWhole`.
 */
export function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return binary.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Returns the type of text with this beginning. Only the content decides whether the text is in a format that a browser
 * would run (HTML, SVG), except that Markdown may begin with a tag; the claim decides between text formats that the
 * content cannot distinguish.
 */
export function typeOfText(text: string, isWhole: boolean, claimed: string): string {
  if (looksLikeJson(text, isWhole)) return jsonClaim.test(claimed) ? claimed : 'application/json';
  return typeOfMarkup(text, claimed) ?? (plainClaim.test(claimed) ? claimed : 'text/plain');
}

function typeOfMarkup(text: string, claimed: string): string | undefined {
  const body = skipProlog(text);
  const tag = /^<([a-z][\w.-]*:)?([a-z][\w.-]*)(?=[\s/>]|$)/i.exec(body)?.[2]?.toLowerCase() ?? '';
  const isXml = text.trimStart().startsWith('<?xml');
  if (tag === 'svg') return 'image/svg+xml';
  if (isXml && tag === 'html') return 'application/xhtml+xml';
  if (/^\s*<!doctype html\b/i.test(text) || documentTags.has(tag)) return 'text/html';
  if (isXml || (tag !== '' && xmlClaim.test(claimed)))
    return xmlClaim.test(claimed) ? claimed : 'application/xml';
  // Markdown may begin with a tag.
  return fragmentTags.has(tag) && claimed !== 'text/markdown' ? 'text/html' : undefined;
}

function skipProlog(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const start = rest.slice(0, 9).toLowerCase();
    const end = prologs.find(([opening]) => start.startsWith(opening))?.[1];
    if (end === undefined) return rest;
    const at = rest.indexOf(end);
    if (at < 0) return '';
    rest = rest.slice(at + end.length).trimStart();
  }
}

function looksLikeJson(text: string, isWhole: boolean): boolean {
  if (!isWhole) return /^\s*(\{\s*"|\[\s*[{["])/.test(text);
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
