import { safeText } from '../../output/safe-text';
import type { Colours } from '../../terminal/colours';
import { noColours } from '../../terminal/colours';
import { eraseText } from './erase-text';
import { MarkdownLines } from './markdown';
import { colour } from './wrap-line';

interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * A reply on the screen while it streams in: the last line as received, the lines before it as rendered Markdown. A
 * line remains as received if it could not be erased, or if there are no colours.
 */
export class ReplyText {
  readonly #colours: Colours;
  readonly #markdown: MarkdownLines;
  #received = '';
  /** The ended lines as shown but without colours, from which the number of rows to erase is computed. */
  #shown = '';
  #line = '';

  constructor(colours: Colours) {
    this.#colours = colours;
    this.#markdown = new MarkdownLines(colours);
  }

  get received(): string {
    return this.#received;
  }

  /** Adds the next piece; returns what to write to the terminal. */
  add(text: string, size: ScreenSize): string {
    this.#received += text;
    const [first = '', ...rest] = safeText(text).split('\n');
    let output = first;
    this.#line += first;
    for (const piece of rest) {
      output += `${this.#endLine(size)}\n${piece}`;
      this.#shown += '\n';
      this.#line = piece;
    }
    return output;
  }

  /** Ends the reply; returns what to write to the terminal. */
  end(size: ScreenSize): string {
    return this.#endLine(size);
  }

  /** Returns what to write to erase the whole reply from the screen; undefined when that is impossible. */
  erase(size: ScreenSize): string | undefined {
    return eraseText(this.#shown + this.#line, size);
  }

  /**
   * Ends the current line; returns the output that replaces the line with its rendered Markdown. The output is empty if
   * rendering changes nothing or the line cannot be erased.
   */
  #endLine(size: ScreenSize): string {
    const line = this.#line;
    const rendered = this.#colours === noColours ? line : this.#markdown.render(line, size.columns);
    const erased = rendered === line ? undefined : eraseText(line, size);
    this.#shown += erased === undefined ? line : rendered.replace(colour, '');
    this.#line = '';
    return erased === undefined ? '' : `${erased}${rendered}`;
  }
}
