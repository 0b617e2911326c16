import type { Inline } from './markdown-tree';
import { safeHref } from './safe-href';

const maxDepth = 8;

interface Rule {
  readonly pattern: RegExp;
  readonly build: (match: RegExpExecArray, depth: number) => Inline | undefined;
}

/**
 * If several rules match at a position, the first one applies. A pattern that could scan the same text from many
 * positions limits the length of its match, so that parsing is fast even for text that was written to make it slow.
 */
const rules: readonly Rule[] = [
  { pattern: /\\([!-/:-@[-`{-~])/y, build: ([, character = '']) => text(character) },
  {
    pattern: /(`{1,3})([^`](?:[^`]|(?!\1)`){0,2000}?)\1(?!`)/y,
    build: ([, , code = '']) => ({ kind: 'code', text: code.trim() }),
  },
  {
    pattern: /!?\[([^[\]]{0,500})\]\(<?([^\s)>]{0,2000})>?(?:\s+"[^"]{0,300}")?\)/y,
    build: buildLink,
  },
  { pattern: /<((?:https?|mailto):[^\s<>]+)>/y, build: ([, url = '']) => link(url, [text(url)]) },
  {
    pattern: /https?:\/\/[^\s<>"'`]{0,2000}[^\s<>"'`.,;:!?)\]*_]/y,
    build: ([url]) => link(url, [text(url)]),
  },
  { pattern: /\*\*(?=\S)([^]{0,1000}?\S)\*\*/y, build: nested('strong') },
  { pattern: /__(?=\S)([^]{0,1000}?\S)__(?!\w)/y, build: nested('strong') },
  { pattern: /~~(?=\S)([^]{0,1000}?\S)~~/y, build: nested('deleted') },
  { pattern: /\*(?=[^\s*])([^*]{0,1000}[^\s*])\*/y, build: nested('emphasis') },
  { pattern: /_(?=[^\s_])([^_]{0,1000}[^\s_])_(?!\w)/y, build: nested('emphasis') },
  { pattern: /(?: {2,}|\\)\n/y, build: () => ({ kind: 'break' }) },
];
/** Characters at which a rule may apply; everything else is text. */
const special = /[\\`[!<*_~\n]|(?<! ) {2,}\n|https?:\/\//g;

/** Parses emphasis, code and links. Delimiters that are not closed are text. */
export function parseInline(source: string, depth = 0): readonly Inline[] {
  if (depth > maxDepth) return [text(source)];
  const inlines: Inline[] = [];
  let plain = '';
  let index = 0;
  while (index < source.length) {
    const next = nextSpecial(source, index);
    plain += source.slice(index, next);
    index = next;
    const applied = next < source.length ? applyRule(source, next, depth) : undefined;
    if (!applied) {
      plain += source[next] ?? '';
      index += 1;
      continue;
    }
    if (plain !== '') inlines.push(text(plain));
    plain = '';
    inlines.push(applied.inline);
    index = applied.end;
  }
  if (plain !== '') inlines.push(text(plain));
  return inlines;
}

function nextSpecial(source: string, from: number): number {
  special.lastIndex = from;
  return special.exec(source)?.index ?? source.length;
}

function applyRule(source: string, at: number, depth: number) {
  // An underscore inside a word is part of the word.
  if (source[at] === '_' && /\w/.test(source[at - 1] ?? '')) return undefined;
  for (const { pattern, build } of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    const inline = match && build(match, depth);
    if (match && inline) return { inline, end: at + match[0].length };
  }
  return undefined;
}

/** An image also becomes a link, so that nothing is loaded from other sites. */
function buildLink([, label = '', url = '']: RegExpExecArray, depth: number): Inline | undefined {
  return link(url, parseInline(label === '' ? url : label, depth + 1));
}

function link(url: string, children: readonly Inline[]): Inline | undefined {
  const href = safeHref(url);
  return href === undefined ? undefined : { kind: 'link', href, children };
}

function nested(kind: 'strong' | 'emphasis' | 'deleted') {
  return ([, inner = '']: RegExpExecArray, depth: number): Inline => ({
    kind,
    children: parseInline(inner, depth + 1),
  });
}

function text(value: string): Inline {
  return { kind: 'text', text: value };
}
