import { ansiColours, noColours, type Colours } from './colours';

/** The properties of a terminal stream that the CLI uses. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Prints lines and, on a terminal, a status line that the next output overwrites. */
export class Screen {
  readonly colours: Colours;
  readonly #output: Output;
  #hasStatus = false;

  constructor(output: Output, options: { readonly noColour: boolean }) {
    this.#output = output;
    this.colours = output.isTTY && !options.noColour ? ansiColours : noColours;
  }

  /** The number of columns; a generous default if unknown. */
  get width(): number {
    const { columns = 0 } = this.#output;
    return columns > 0 ? columns : 160;
  }

  print(...lines: readonly string[]): void {
    this.#clearStatus();
    for (const line of lines) this.#output.write(`${line}\n`);
  }

  /** Shows the current status, or removes it if the text is empty; does nothing unless the output is a terminal. */
  showStatus(text: string): void {
    if (!this.#output.isTTY) return;
    this.#clearStatus();
    if (text === '') return;
    const fitting = text.slice(0, this.width - 1);
    this.#output.write(this.colours.dim(fitting));
    this.#hasStatus = true;
  }

  #clearStatus(): void {
    if (this.#hasStatus) this.#output.write('\r\u001b[2K');
    this.#hasStatus = false;
  }
}
