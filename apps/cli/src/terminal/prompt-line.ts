import {
  clearScreenDown,
  createInterface,
  cursorTo,
  moveCursor,
  type Interface,
} from 'node:readline';
import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

export interface PromptHandlers {
  readonly onLine: (line: string) => void;
  /** Ctrl-C; the line has already been cleared. */
  readonly onCancel: (hadText: boolean) => void;
  /** Ctrl-D, or the terminal was closed. */
  readonly onLeave: () => void;
  /** Whether the line being entered belongs in the history. */
  readonly savesLine: () => boolean;
}

export interface PromptOptions extends PromptHandlers {
  /** A terminal, or a stream that filters its keys. */
  readonly input: NodeJS.ReadableStream;
  readonly output: WriteStream;
  readonly prompt: string;
  /** Earlier lines, newest first. */
  readonly history: readonly string[];
}

export const historySize = 500;

/**
 * The input line at the bottom of a terminal. Output is written above it. While that output is an
 * unfinished line, the input line is hidden: typing still works and is shown afterwards.
 */
export class PromptLine {
  readonly #output: WriteStream;
  readonly #handlers: PromptHandlers;
  readonly #line: Interface;
  readonly #deferred: string[] = [];
  #isShown = false;
  #isUnfinished = false;
  #isClosed = false;

  constructor({ input, output, prompt, history, ...handlers }: PromptOptions) {
    this.#output = output;
    this.#handlers = handlers;
    const echo = echoTo(output, () => this.#isShown);
    const recent = [...history].slice(0, historySize);
    this.#line = createInterface({
      input,
      output: echo,
      terminal: true,
      prompt,
      history: recent,
      historySize,
    });
    this.#line.on('line', (line) => this.#onLine(line));
    this.#line.on('history', (lines: string[]) => {
      if (!handlers.savesLine()) lines.shift();
    });
    this.#line.on('SIGINT', () => this.#onCancel());
    this.#line.on('close', () => {
      this.#isClosed = true;
      handlers.onLeave();
    });
  }

  /** Whether the current line is empty. */
  get isEmpty(): boolean {
    return this.#line.line === '';
  }

  /** Changes the prompt. */
  ask(prompt: string): void {
    this.#hide();
    this.#line.setPrompt(prompt);
    this.#show();
  }

  /** Writes above the input line. Unless `isComplete`, the next text continues the same line. */
  write(text: string, isComplete = true): void {
    if (text === '' && isComplete !== this.#isUnfinished) return;
    this.#hide();
    this.#output.write(text);
    this.#isUnfinished = !isComplete;
    this.#show();
  }

  /** Writes complete lines above the input line, after any unfinished output. */
  add(text: string): void {
    if (this.#isUnfinished) this.#deferred.push(text);
    else this.write(text);
  }

  close(): void {
    this.#hide();
    this.#line.close();
  }

  #onLine(line: string): void {
    if (!this.#isShown) this.#deferred.push(`${this.#line.getPrompt()}${line}\n`);
    this.#isShown = false;
    this.#handlers.onLine(line);
    this.#show();
  }

  #onCancel(): void {
    const hadText = !this.isEmpty;
    if (this.#isShown) this.#output.write('^C\n');
    this.#isShown = false;
    this.#line.write(null, { ctrl: true, name: 'e' });
    this.#line.write(null, { ctrl: true, name: 'u' });
    this.#handlers.onCancel(hadText);
    this.#show();
  }

  #hide(): void {
    if (!this.#isShown) return;
    moveCursor(this.#output, 0, -this.#line.getCursorPos().rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    this.#isShown = false;
  }

  #show(): void {
    if (this.#isUnfinished || this.#isClosed || this.#isShown) return;
    this.#output.write(this.#deferred.splice(0).join(''));
    this.#isShown = true;
    // Without this, readline would move up by the rows that the line occupied at its old position.
    (this.#line as { prevRows?: number }).prevRows = 0;
    this.#line.prompt(true);
  }
}

/** Creates an output for readline that discards the echo while the line is hidden. */
function echoTo(output: WriteStream, isShown: () => boolean): Writable {
  const echo = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      if (isShown()) output.write(chunk);
      done();
    },
  });
  output.on('resize', () => echo.emit('resize'));
  return Object.defineProperties(echo, {
    columns: { get: () => output.columns },
    rows: { get: () => output.rows },
    isTTY: { value: true },
  });
}
