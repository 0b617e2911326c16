import type { Colours } from '../terminal/colours';

/** How text is rendered: its colours and its width in columns, Infinity if lines are not truncated. */
export interface Style {
  readonly colours: Colours;
  readonly width: number;
  /** Shows every column, and ids and times in full. */
  readonly isWide?: boolean;
  /** The time that ages are relative to; the current time if absent. */
  readonly now?: Date;
}

/** The output of a command: complete as data, and as text for people. */
export interface View {
  readonly data: unknown;
  readonly render: (style: Style) => string;
  /** What `-o name` prints, one per line; derived from the data if absent. */
  readonly names?: readonly string[];
  /** The exit code; success if omitted. */
  readonly exitCode?: number;
}

/** Returns a view that renders as the given text, e.g. `Message sent to swiftfox42`. */
export function textView(text: string, data: unknown): View {
  return { data, render: () => text };
}
