import type { Colours } from '../terminal/colours';

/** How text is rendered: its colours and its width in columns, Infinity without a terminal. */
export interface Style {
  readonly colours: Colours;
  readonly width: number;
}

/** The output of a command: complete as data, and as text for people. */
export interface View {
  readonly data: unknown;
  readonly render: (style: Style) => string;
  /** The exit code; success if omitted. */
  readonly exitCode?: number;
}

/** A single message, e.g. `Message sent to swiftfox42`. */
export function textView(text: string, data: unknown): View {
  return { data, render: () => text };
}
