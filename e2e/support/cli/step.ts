import { expect } from '@jest/globals';

/** A command line and its expected result. `$name` stands for a value that the story sets or an earlier step keeps. */
export interface Step {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit code, by default 0. */
  readonly code?: number;
  /** Part of the JSON output. */
  readonly json?: unknown;
  /** Matches the text output, or the error message. */
  readonly text?: RegExp;
  /** Values to keep for later steps: under each name, the path of the value in the JSON output. */
  readonly keep?: Readonly<Record<string, string>>;
  /** What happens before the step; see `Preparation`. */
  readonly before?: Preparation;
  /** Whether the step is retried until its result is as expected. */
  readonly eventually?: boolean;
}

/**
 * `undelivered`: Bob writes to Ada's subuser, whose gateway refuses messages; `gateway`: the gateway accepts messages
 * again.
 */
export type Preparation = 'undelivered' | 'gateway';

/** Creates a step from a command line, in which single quotes keep words together. */
export const step = (line: string, fields: Omit<Step, 'argv'> = {}): Step => ({
  argv: split(line),
  ...fields,
});

/** Splits at spaces, except between single quotes. */
function split(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

/** Any text. */
export const anyText = expect.any(String);
/** An object with at least these fields. */
export const like = (part: object): unknown => expect.objectContaining(part);
/** A list that contains an object with at least these fields. */
export const has = (part: object): unknown => expect.arrayContaining([like(part)]);
