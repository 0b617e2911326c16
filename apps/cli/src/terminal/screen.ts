import { ansiColours, noColours, type Colours } from './colours';

/** The part of a terminal stream that is needed here. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Prints lines and, on a terminal, one last line that is overwritten by whatever comes next. */
export class Screen {
  readonly colours: Colours;
  readonly #output: Output;
  #hasStatus = false;

  constructor(output: Output, options: { readonly noColour: boolean }) {
    this.#output = output;
    this.colours = output.isTTY && !options.noColour ? ansiColours : noColours;
  }

  /** How many characters fit on a line; plenty where that is unknown. */
  get width(): number {
    const { columns = 0 } = this.#output;
    return columns > 0 ? columns : 160;
  }

  print(...lines: readonly string[]): void {
    this.#clearStatus();
    for (const line of lines) this.#output.write(`${line}\n`);
  }

  /** Shows what is going on at the moment; not shown at all where it could not be overwritten. */
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
