import type { Block } from './markdown-tree';
import { parseInline } from './parse-inline';

const maxDepth = 6;
// Adjacent parts of a pattern must not match the same characters. Otherwise, text with thousands of spaces causes
// excessive backtracking.
const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const quote = /^ {0,3}> ?(.*)$/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(?: +(\S.*)?)?$/;
const tableRule = /^[\s|:-]+$/;

/** Lines that are consumed one block at a time. */
class Lines {
  #next = 0;
  constructor(private readonly lines: readonly string[]) {}

  peek(ahead = 0): string | undefined {
    return this.lines[this.#next + ahead];
  }

  take(): string {
    this.#next += 1;
    return this.lines[this.#next - 1] ?? '';
  }

  takeWhile(isWanted: (line: string) => boolean): string[] {
    const taken: string[] = [];
    for (let line = this.peek(); line !== undefined && isWanted(line); line = this.peek())
      taken.push(this.take());
    return taken;
  }
}

/**
 * Parses a common subset of Markdown. The result has no nodes for HTML: anything that looks like HTML is kept as text.
 * All visible text is kept, except table cells beyond the columns of the table's head.
 */
export function parseMarkdown(source: string, depth = 0): readonly Block[] {
  if (depth > maxDepth) return [{ kind: 'paragraph', children: [{ kind: 'text', text: source }] }];
  const lines = new Lines(source.replace(/\r\n?/g, '\n').split('\n'));
  const blocks: Block[] = [];
  for (let line = lines.peek(); line !== undefined; line = lines.peek()) {
    if (line.trim() === '') lines.take();
    else blocks.push(parseBlock(lines, line, depth));
  }
  return blocks;
}

function parseBlock(lines: Lines, line: string, depth: number): Block {
  const fenced = fence.exec(line);
  if (fenced) return parseCode(lines, fenced);
  const [, marks, title = ''] = heading.exec(line) ?? [];
  if (marks !== undefined) {
    lines.take();
    return {
      kind: 'heading',
      level: marks.length,
      children: parseInline(withoutClosingHashes(title)),
    };
  }
  if (rule.test(line)) {
    lines.take();
    return { kind: 'rule' };
  }
  if (quote.test(line)) return parseQuote(lines, depth);
  if (item.test(line)) return parseList(lines, depth);
  if (line.includes('|') && isTableRule(lines.peek(1) ?? '')) return parseTable(lines);
  return parseParagraph(lines);
}

function isTableRule(line: string): boolean {
  return tableRule.test(line) && line.includes('-');
}

/** Turns `Title ##` into `Title`; keeps a `#` that is part of the last word, as in `C#`. */
function withoutClosingHashes(title: string): string {
  const trimmed = title.trimEnd();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(trimmed[end - 1] ?? '') ? trimmed.slice(0, end).trimEnd() : trimmed;
}

function parseCode(lines: Lines, [, marks = '', info = '']: RegExpExecArray): Block {
  lines.take();
  const language = info.trim().split(/\s/, 1)[0] ?? '';
  const isEnd = (line: string): boolean =>
    line.trim().startsWith(marks) && line.trim().replaceAll(marks.charAt(0), '') === '';
  const text = lines.takeWhile((line) => !isEnd(line)).join('\n');
  lines.take();
  return { kind: 'code', language, text };
}

function parseQuote(lines: Lines, depth: number): Block {
  const quoted = lines.takeWhile((line) => quote.test(line));
  const inner = quoted.map((line) => quote.exec(line)?.[1] ?? '');
  return { kind: 'quote', children: parseMarkdown(inner.join('\n'), depth + 1) };
}

function parseList(lines: Lines, depth: number): Block {
  const firstMarker = item.exec(lines.peek() ?? '')?.[2] ?? '';
  const isOrdered = /\d/.test(firstMarker);
  const isSameKind = (line: string | undefined): boolean => {
    if (line === undefined || rule.test(line)) return false;
    const marker = item.exec(line)?.[2];
    return marker !== undefined && /\d/.test(marker) === isOrdered;
  };
  const items: (readonly Block[])[] = [];
  while (isSameKind(lines.peek())) {
    items.push(parseMarkdown(takeItem(lines).join('\n'), depth + 1));
    if (lines.peek()?.trim() === '' && isSameKind(lines.peek(1))) lines.take();
  }
  return { kind: 'list', start: isOrdered ? Number.parseInt(firstMarker, 10) : undefined, items };
}

/** Takes the lines of one item, including those indented below it. */
function takeItem(lines: Lines): string[] {
  const [, spaces = '', marker = '', rest = ''] = item.exec(lines.take()) ?? [];
  const indent = spaces.length + marker.length + 1;
  const belongs = (line: string, next: string | undefined): boolean =>
    line.trim() === '' ? /^\s{2,}\S/.test(next ?? '') : /^\s{2,}/.test(line);
  const inner = [rest];
  for (let line = lines.peek(); line !== undefined; line = lines.peek()) {
    const isLazy = line.trim() !== '' && !startsBlock(line) && inner.at(-1)?.trim() !== '';
    if (!belongs(line, lines.peek(1)) && !isLazy) break;
    inner.push(lines.take().replace(new RegExp(`^\\s{0,${indent}}`), ''));
  }
  return inner;
}

function parseTable(lines: Lines): Block {
  const head = cellsOf(lines.take());
  lines.take();
  const rows = lines
    .takeWhile((line) => line.includes('|') && line.trim() !== '')
    .map((line) => cellsOf(line).slice(0, head.length));
  return { kind: 'table', head, rows };
}

function cellsOf(line: string) {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')));
}

function parseParagraph(lines: Lines): Block {
  const first = lines.take();
  const more = lines.takeWhile((line) => line.trim() !== '' && !startsBlock(line));
  return { kind: 'paragraph', children: parseInline([first, ...more].join('\n').trim()) };
}

function startsBlock(line: string): boolean {
  return [fence, heading, rule, quote, item].some((pattern) => pattern.test(line));
}
