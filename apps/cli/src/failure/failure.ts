import type { ErrorCode } from '@daycare/api';
import type { ExitCode } from './exit-codes';

/** An error that a person can act on: what is wrong, what to do next, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** What to do next, as a full sentence. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** What to do next about a failed call, where a command knows more than the general advice. */
export type Hints = Readonly<Partial<Record<ErrorCode, string>>>;
