import type { Colours } from '../terminal/colours';

/** How text is shown: in which colours, and in how many columns; unlimited where nobody looks. */
export interface Style {
  readonly colours: Colours;
  readonly width: number;
}

/** What a command has to say: whole as data, and for people as text. */
export interface View {
  readonly data: unknown;
  readonly render: (style: Style) => string;
  /** How the command ends; well unless this says otherwise. */
  readonly exitCode?: number;
}

/** One text that says it all, e.g. `Message sent to swiftfox42`. */
export function textView(text: string, data: unknown): View {
  return { data, render: () => text };
}
