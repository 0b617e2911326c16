import {
  clearScreenDown,
  createInterface,
  cursorTo,
  moveCursor,
  type Interface,
} from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

export interface PromptHandlers {
  readonly onLine: (line: string) => void;
  /** Ctrl-C; the line is empty by now. */
  readonly onCancel: (hadText: boolean) => void;
  /** Ctrl-D, or the terminal is gone. */
  readonly onLeave: () => void;
  /** Whether the line that is about to be given belongs into the history. */
  readonly keepsLine: () => boolean;
}

export interface PromptOptions extends PromptHandlers {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly prompt: string;
  /** Earlier lines, newest first. */
  readonly history: readonly string[];
}

export const historySize = 500;

/**
 * The line at the bottom of a terminal on which a person types. What is written meanwhile goes above
 * it; while something unfinished stands there, typing goes on unseen and is shown afterwards.
 */
export class PromptLine {
  readonly #output: WriteStream;
  readonly #handlers: PromptHandlers;
  readonly #line: Interface;
  readonly #unseen: string[] = [];
  #isShown = false;
  #isUnfinished = false;
  #isOver = false;

  constructor({ input, output, prompt, history, ...handlers }: PromptOptions) {
    this.#output = output;
    this.#handlers = handlers;
    const echo = echoTo(output, () => this.#isShown);
    const kept = [...history].slice(0, historySize);
    this.#line = createInterface({
      input,
      output: echo,
      terminal: true,
      prompt,
      history: kept,
      historySize,
    });
    this.#line.on('line', (line) => this.#onLine(line));
    this.#line.on('history', (lines: string[]) => {
      if (!handlers.keepsLine()) lines.shift();
    });
    this.#line.on('SIGINT', () => this.#onCancel());
    this.#line.on('close', () => {
      this.#isOver = true;
      handlers.onLeave();
    });
  }

  /** Whether nothing has been typed since the last line. */
  get isEmpty(): boolean {
    return this.#line.line === '';
  }

  /** Puts another question before the cursor. */
  ask(prompt: string): void {
    this.#hide();
    this.#line.setPrompt(prompt);
    this.#show();
  }

  /** Writes above the line. Text that is not `whole` is gone on with by the next. */
  write(text: string, whole = true): void {
    if (text === '' && whole !== this.#isUnfinished) return;
    this.#hide();
    this.#output.write(text);
    this.#isUnfinished = !whole;
    this.#show();
  }

  /** Writes whole lines above the line, after what is unfinished there. */
  add(text: string): void {
    if (this.#isUnfinished) this.#unseen.push(text);
    else this.write(text);
  }

  close(): void {
    this.#hide();
    this.#line.close();
  }

  #onLine(line: string): void {
    if (!this.#isShown) this.#unseen.push(`${this.#line.getPrompt()}${line}\n`);
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
    if (this.#isUnfinished || this.#isOver || this.#isShown) return;
    this.#output.write(this.#unseen.splice(0).join(''));
    this.#isShown = true;
    // It would go up by as many rows as the line took where it stood before.
    (this.#line as { prevRows?: number }).prevRows = 0;
    this.#line.prompt(true);
  }
}

/** A terminal that shows what is typed only while it may. */
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
