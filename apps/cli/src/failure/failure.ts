import type { ErrorCode } from '@daycare/errors';
import type { ExitCode } from './exit-codes';

/** Something a person can act on: what is wrong, what to do next, and how the command ends. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** What to do next, as a sentence of its own. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** What to do next about a failed call, where a command knows better than the general advice. */
export type Hints = Readonly<Partial<Record<ErrorCode, string>>>;
