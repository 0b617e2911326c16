import type { Colours } from '../../terminal/colours';
import { wrapLine } from './wrap-line';

/** The colours of rendered Markdown. */
export type MarkdownStyle = Pick<Colours, 'bold' | 'dim' | 'italic' | 'cyan'>;

const fence = /^\s*(?:```|~~~)/;

/**
 * Renders Markdown for a terminal, one line at a time, so that a reply can be rendered while it streams in. The text
 * must be free of control characters, so that the only escape sequences in the result are those of the colours.
 */
export class MarkdownLines {
  readonly #style: MarkdownStyle;
  #isCode = false;

  constructor(style: MarkdownStyle) {
    this.#style = style;
  }

  /** Renders a complete line, given without its line break. Lines between fences are not wrapped: people copy code. */
  render(line: string, columns = Infinity): string {
    const { dim, cyan } = this.#style;
    if (fence.test(line)) {
      this.#isCode = !this.#isCode;
      return dim(line.trim());
    }
    return this.#isCode ? cyan(line) : wrapLine(this.#renderBlock(line), columns);
  }

  #renderBlock(line: string): string {
    const { bold, dim } = this.#style;
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    if (heading) return bold(heading[1]?.replace(/\s+#+$/, '') ?? '');
    if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return dim('─'.repeat(20));
    const [, quote = '', indent = '', bullet = '', rest = ''] =
      /^((?:>\s?)*)(\s*)([-*+]\s+)?(.*)$/.exec(line) ?? [];
    const depth = quote.replace(/[^>]/g, '').length;
    const bar = depth === 0 ? '' : dim('│ '.repeat(depth));
    return `${bar}${indent}${bullet === '' ? '' : '• '}${renderInline(rest, this.#style)}`;
  }
}

/** Handles code first, because nothing inside it is Markdown. */
function renderInline(text: string, { bold, italic, cyan, dim }: MarkdownStyle): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`')
        ? cyan(part.slice(1, -1))
        : part
            .replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, (_, label: string, url: string) =>
              label === url ? url : `${label} ${dim(`(${url})`)}`,
            )
            .replace(/\*\*([^*]+)\*\*|__([^_]+)__/g, (_, a?: string, b?: string) =>
              bold(a ?? b ?? ''),
            )
            .replace(
              /(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|(?<!\w)_([^_\s][^_]*)_(?!\w)/g,
              (_, a?: string, b?: string) => italic(a ?? b ?? ''),
            ),
    )
    .join('');
}
