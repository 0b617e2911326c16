import { ansiColours, noColours } from '../terminal/colours';
import type { Output } from '../terminal/screen';
import { identify } from './identify';
import { toPlain } from './plain';
import type { Style, View } from './view';

export const formats = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

/** Reports whether a format is for people to read. */
export function isForPeople(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

export interface PrinterOptions {
  readonly format: Format;
  readonly noColour: boolean;
}

/** Writes views in the chosen format. Uses colours and truncates lines only on a terminal. */
export class Printer {
  readonly #output: Output;
  readonly #format: Format;
  readonly #style: Style;

  constructor(output: Output, { format, noColour }: PrinterOptions) {
    this.#output = output;
    this.#format = format;
    const isTerminal = output.isTTY === true;
    const isWide = format === 'wide';
    this.#style = {
      colours: isTerminal && !noColour ? ansiColours : noColours,
      width: isTerminal && output.columns && !isWide ? output.columns : Infinity,
      isWide,
    };
  }

  async print(view: View): Promise<void> {
    this.#write(await this.#toText(view, 2));
  }

  /** Prints one view of a stream: JSON as one line, YAML as one document. */
  async printNext(view: View): Promise<void> {
    if (this.#format === 'yaml') this.#output.write('---\n');
    this.#write(await this.#toText(view, 0));
  }

  #write(text: string): void {
    if (text !== '') this.#output.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  async #toText(view: View, indent: number): Promise<string> {
    switch (this.#format) {
      case 'table':
      case 'wide':
        return view.render(this.#style);
      case 'name':
        return (view.names ?? [identify(view.data)]).filter((name) => name !== '').join('\n');
      case 'json':
        return JSON.stringify(toPlain(view.data) ?? null, null, indent);
      case 'yaml': {
        const { stringify } = await import('yaml');
        return stringify(toPlain(view.data));
      }
    }
  }
}
